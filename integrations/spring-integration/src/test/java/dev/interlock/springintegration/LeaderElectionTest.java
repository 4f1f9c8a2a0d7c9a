// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spring Integration's leader election over Interlock: two candidates, each with a factory of its own. */
class LeaderElectionTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration HEART_BEAT = Duration.ofMillis(100);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);
    /** The number of looks between two events: enough for a lease that is not renewed to end in between. */
    private static final int LOOKS_BEFORE_AN_EVENT = 100;
    /** Without renewal, the heart beats alone keep the lock. */
    private static final LockOptions SHORT =
            LockOptions.builder().lease(LEASE).renewal(false).build();

    private static RegistryFixture backend;

    @BeforeAll
    static void start() {
        backend = new RegistryFixture();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private static InterlockLockRegistry registry() {
        return new InterlockLockRegistry(backend.factory(), "orders", SHORT);
    }

    /** The number of looks that found something wrong with two candidates. */
    private record Seen(int twoLeaders, int leadersWithoutLock) {}

    /** Ends a leadership, or returns {@code false} if somebody else leads meanwhile. */
    private interface Event {
        boolean hits(LeaderCandidate leader);
    }

    /**
     * Returns whether something was true while a contender led by a recent heart beat. A heart beat leaves at least
     * half a lease, so that the contender holds the lock then, however slow the machine is. A leader whose heart beat
     * is late may have lost the lock, and is not counted.
     */
    private static boolean leadsRightly(LeaderCandidate contender, BooleanSupplier thing) {
        return contender.leadsWhile(LEASE.dividedBy(2), thing);
    }

    /**
     * Looks at two candidates, one of which leads by a recent heart beat. From time to time an event ends that
     * leadership, and the looks go on when the leader has been told.
     */
    private static Seen look(String lock, LeaderCandidate one, LeaderCandidate other, int looks, Event event) {
        int twoLeaders = 0;
        int withoutLock = 0;
        int untilEvent = LOOKS_BEFORE_AN_EVENT;
        for (int seen = 0; seen < looks; ) {
            await().atMost(RegistryFixture.PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> leadsRightly(one, () -> true) || leadsRightly(other, () -> true));
            if (leadsRightly(one, () -> leadsRightly(other, () -> true))) {
                twoLeaders++;
            }
            if (leadsRightly(one, () -> !backend.isTaken(lock)) || leadsRightly(other, () -> !backend.isTaken(lock))) {
                withoutLock++;
            }
            LeaderCandidate leader = leadsRightly(one, () -> true) ? one : other;
            if (leadsRightly(leader, () -> true)) {
                seen++;
                untilEvent--;
            }
            int before = leader.revoked.get();
            if (untilEvent <= 0 && event.hits(leader)) {
                untilEvent = LOOKS_BEFORE_AN_EVENT;
                await().atMost(RegistryFixture.PATIENCE)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> leader.revoked.get() > before);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        return new Seen(twoLeaders, withoutLock);
    }

    private static boolean stepDown(LeaderCandidate leader) {
        leader.stepDown();
        return true;
    }

    /** Takes the lock from a leader, and from nobody else. */
    private static boolean forget(String lock, LeaderCandidate leader) {
        AtomicReference<String> word = new AtomicReference<>("");
        return leadsRightly(leader, () -> {
                    word.set(backend.word(lock));
                    return true;
                })
                && backend.forget(lock, word.get());
    }

    private static void assertNeverTwo(String role, int looks, Event event) {
        try (LeaderCandidate one = new LeaderCandidate(registry(), role, HEART_BEAT);
                LeaderCandidate other = new LeaderCandidate(registry(), role, HEART_BEAT)) {
            assertThat(look("orders:" + role, one, other, looks, event)).isEqualTo(new Seen(0, 0));
            assertThat(one.revoked.get() + other.revoked.get())
                    .as("leaderships that ended")
                    .isGreaterThanOrEqualTo(looks / LOOKS_BEFORE_AN_EVENT);
        }
    }

    @Test
    void twoCandidatesAreNeverLeadersAtOnce() {
        assertNeverTwo("short", LOOKS_BEFORE_AN_EVENT, LeaderElectionTest::stepDown);
    }

    @Test
    @Tag("deep")
    void twoCandidatesAreLeadersAtOnceInNoneOf500Looks() {
        assertNeverTwo("long", 500, LeaderElectionTest::stepDown);
    }

    @Test
    @Tag("deep")
    void twoCandidatesAreLeadersAtOnceInNoneOf500LooksAlthoughTheServerForgetsTheirLock() {
        assertNeverTwo("forgotten", 500, leader -> forget("orders:forgotten", leader));
    }

    /**
     * The leader's lock expires. At its next beat the naive adapter acquires the lock afresh, the initiator takes that
     * for a re-entry and releases what it takes for the second hold, and so leads on without a lock, which the other
     * candidate acquires. The same looks as above find it.
     */
    @Test
    void aNaiveAdapterHasTwoLeaders() {
        try (LeaderCandidate one =
                        new LeaderCandidate(new NaiveRegistry(backend.factory(), SHORT), "naive", HEART_BEAT);
                LeaderCandidate other =
                        new LeaderCandidate(new NaiveRegistry(backend.factory(), SHORT), "naive", HEART_BEAT)) {
            await().atMost(RegistryFixture.PATIENCE)
                    .until(() -> look("orders:naive", one, other, LOOKS_BEFORE_AN_EVENT, LeaderElectionTest::stepDown)
                                    .twoLeaders()
                            > 0);
        }
    }

    /** The beats are so rare that the renewal notices the loss before the leader asks. */
    @Test
    void aLeaderWhoseLockIsGoneIsRevokedAtItsNextBeat() {
        LockOptions options =
                LockOptions.builder().lease(Duration.ofMillis(1_500)).build();
        try (LeaderCandidate leader = new LeaderCandidate(
                new InterlockLockRegistry(backend.factory(), "orders", options), "revoked", Duration.ofMillis(700))) {
            await().atMost(RegistryFixture.PATIENCE).until(leader::isLeader);
            backend.forget("orders:revoked");
            await().atMost(RegistryFixture.PATIENCE).until(() -> leader.revoked.get() > 0);
            await().atMost(RegistryFixture.PATIENCE).until(() -> leader.granted.get() > 1);
        }
    }

    @Test
    void aLeaderIsRevokedWithoutABeatIfALossInterrupts() {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(1_500))
                .interruptOnLoss(true)
                .build();
        try (LeaderCandidate leader = new LeaderCandidate(
                new InterlockLockRegistry(backend.factory(), "orders", options), "interrupted", Duration.ofHours(1))) {
            await().atMost(RegistryFixture.PATIENCE).until(leader::isLeader);
            backend.forget("orders:interrupted");
            await().atMost(RegistryFixture.PATIENCE).until(() -> leader.revoked.get() > 0);
        }
    }
}
