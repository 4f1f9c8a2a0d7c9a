// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.LockRegistry;

/** Spring Integration's leader election over Interlock: two candidates, each with a factory of its own. */
class LeaderElectionTest {
    private static final Duration HEART_BEAT = Duration.ofMillis(20);
    private static final LockOptions SHORT =
            LockOptions.builder().lease(Duration.ofMillis(300)).renewal(false).build();

    private static Backend backend;

    @BeforeAll
    static void start() {
        backend = new Backend();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private static LockRegistry<?> registry() {
        return new InterlockLockRegistry(backend.factory(), "orders");
    }

    /** What was seen of two candidates. */
    private record Seen(int twoLeaders, int leadersWithoutLock) {}

    /** Looks at two candidates, of whom the leader steps down from time to time. */
    private static Seen look(String role, Contender one, Contender other, int looks) {
        int twoLeaders = 0;
        int withoutLock = 0;
        for (int i = 1; i <= looks; i++) {
            await().atMost(Backend.PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> one.isLeader() || other.isLeader());
            if (one.leadsWhile(other::isLeader)) {
                twoLeaders++;
            }
            if (one.leadsWhile(() -> !backend.isTaken("orders:" + role))
                    || other.leadsWhile(() -> !backend.isTaken("orders:" + role))) {
                withoutLock++;
            }
            if (i % 10 == 0) {
                Contender leader = one.isLeader() ? one : other;
                int before = leader.revoked.get();
                leader.stepDown();
                await().atMost(Backend.PATIENCE)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> leader.revoked.get() > before);
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        return new Seen(twoLeaders, withoutLock);
    }

    private static void assertNeverTwo(String role, int looks) {
        try (Contender one = new Contender(registry(), role, HEART_BEAT);
                Contender other = new Contender(registry(), role, HEART_BEAT)) {
            assertThat(look(role, one, other, looks)).isEqualTo(new Seen(0, 0));
            assertThat(one.granted.get() + other.granted.get()).isGreaterThanOrEqualTo(looks / 10);
        }
    }

    @Test
    void twoCandidatesAreNeverLeadersAtOnce() {
        assertNeverTwo("short", 40);
    }

    @Test
    @Tag("deep")
    void twoCandidatesAreLeadersAtOnceInNoneOf500Looks() {
        assertNeverTwo("long", 500);
    }

    /**
     * The leader's lock expires. At its next beat the naive adapter acquires the lock afresh, the initiator takes that for a
     * re-entry and releases what it takes for the second hold, and so leads on without a lock, which the other candidate acquires.
     */
    @Test
    void aNaiveAdapterHasTwoLeaders() {
        try (Contender one = new Contender(new NaiveRegistry(backend.factory(), SHORT), "naive", HEART_BEAT);
                Contender other = new Contender(new NaiveRegistry(backend.factory(), SHORT), "naive", HEART_BEAT)) {
            await().atMost(Backend.PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> one.leadsWhile(other::isLeader));
        }
    }

    @Test
    void aLeaderWhoseLockIsGoneIsRevokedAtItsNextBeat() {
        LockOptions options =
                LockOptions.builder().lease(Duration.ofMillis(1_500)).build();
        try (Contender leader =
                new Contender(new InterlockLockRegistry(backend.factory(), "orders", options), "revoked", HEART_BEAT)) {
            await().atMost(Backend.PATIENCE).until(leader::isLeader);
            backend.forget("orders:revoked");
            await().atMost(Backend.PATIENCE).until(() -> leader.revoked.get() > 0);
            await().atMost(Backend.PATIENCE).until(() -> leader.granted.get() > 1);
        }
    }

    @Test
    void aLeaderIsRevokedWithoutABeatIfALossInterrupts() {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(1_500))
                .interruptOnLoss(true)
                .build();
        try (Contender leader = new Contender(
                new InterlockLockRegistry(backend.factory(), "orders", options), "interrupted", Duration.ofHours(1))) {
            await().atMost(Backend.PATIENCE).until(leader::isLeader);
            backend.forget("orders:interrupted");
            await().atMost(Backend.PATIENCE).until(() -> leader.revoked.get() > 0);
        }
    }
}
