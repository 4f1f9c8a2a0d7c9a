// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.testservers.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A holder whose lock is gone learns of the loss, and does not touch the lock of the next holder. */
@Execution(ExecutionMode.CONCURRENT)
class LossTest extends OnChosenClients {
    private static final Duration LEASE = Duration.ofSeconds(9);

    /** So long that a connection is made in it, and so short that a renewal fails before the lease ends. */
    private static final Duration TIME_OUT = Duration.ofSeconds(5);

    /** Long enough that a slow machine's renewal comes before the end of validity. */
    private static final Duration RENEWED_LEASE = Duration.ofSeconds(9);

    private static final Duration LONG_LEASE = Duration.ofMinutes(10);

    final List<LossCause> told = new CopyOnWriteArrayList<>();

    private DistributedLock held(DistributedLockFactory factory, Duration lease) {
        Fixture.warmUp(redis.factory());
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock("mine", Fixture.lease(lease));
        lock.lock();
        lock.lease().orElseThrow().onLoss(told::add);
        return lock;
    }

    private void awaitTold(DistributedLock lock, LossCause cause) {
        await().atMost(Fixture.PATIENCE).until(() -> !told.isEmpty());
        assertThat(told).containsExactly(cause);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThat(lock.lease()).isEmpty();
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(cause));
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
    }

    @Test
    void aDeletedKeyIsFoundByTheRenewal() {
        DistributedLock lock = held(redis.factory(), RENEWED_LEASE);
        redis.server.command("DEL", Fixture.key("mine"));
        awaitTold(lock, LossCause.GONE);
        assertThat(redis.isTaken("mine"))
                .as("a renewal never makes the key anew")
                .isFalse();
    }

    @Test
    void flushallIsFoundByTheRenewal() {
        DistributedLock lock = held(redis.factory(), RENEWED_LEASE);
        redis.server.command("FLUSHALL");
        awaitTold(lock, LossCause.GONE);
        assertThat(redis.isTaken("mine")).isFalse();
    }

    @Test
    void aKeyInOtherHandsIsFoundByTheRenewalAndLeftAlone() {
        DistributedLock lock = held(redis.factory(), RENEWED_LEASE);
        redis.holdElsewhere("mine");
        awaitTold(lock, LossCause.TAKEN);
        assertThat(redis.server.command("GET", Fixture.key("mine"))).isEqualTo("somebody-else");
        assertThat(redis.server.command("PTTL", Fixture.key("mine"))).isEqualTo(-1L);
    }

    @Test
    void aKeyOfAnotherTypeIsFoundByTheRenewalAndLeftAlone() {
        DistributedLock lock = held(redis.factory(), RENEWED_LEASE);
        redis.server.command("DEL", Fixture.key("mine"));
        redis.server.command("RPUSH", Fixture.key("mine"), "squatter");
        awaitTold(lock, LossCause.TAKEN);
        assertThat(redis.server.command("LLEN", Fixture.key("mine"))).isEqualTo(1L);
    }

    @Test
    void aRestartWithoutDataIsFoundByTheRenewal() {
        DistributedLock lock = held(redis.factory(), Duration.ofSeconds(15));
        redis.server.restart();
        awaitTold(lock, LossCause.GONE);
    }

    @Test
    void aKilledServerIsNoticedByTheTimer() {
        DistributedLock lock = held(redis.factory(), LEASE);
        redis.server.kill();
        awaitTold(lock, LossCause.UNREACHABLE);
    }

    @Tag("deep")
    @Test
    void aServerThatHangsIsNoticedByTheTimerAlthoughTheRenewalHangsToo() {
        DistributedLockFactory factory = redis.factory(config -> config.commandTimeout(Duration.ofMinutes(10)));
        DistributedLock lock = held(factory, LEASE);
        redis.server.pause();
        awaitTold(lock, LossCause.UNREACHABLE);
        redis.server.resume();
    }

    @Tag("deep")
    @Test
    void aNetworkThatSwallowsEverythingIsNoticedByTheTimer() {
        try (FaultProxy proxy = FaultProxy.to(redis.server)) {
            DistributedLockFactory factory = redis.factory(proxy.uri(), config -> config.commandTimeout(TIME_OUT));
            DistributedLock lock = held(factory, LEASE);
            proxy.blackhole();
            awaitTold(lock, LossCause.UNREACHABLE);
            proxy.heal();
        }
    }

    @Test
    void unlockItselfFindsThatTheKeyIsGone() {
        DistributedLock lock = held(redis.factory(), LONG_LEASE);
        redis.server.command("FLUSHALL");
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.GONE));
    }

    @Test
    void unlockItselfFindsThatTheKeyIsInOtherHandsAndLeavesItThere() {
        DistributedLock lock = held(redis.factory(), LONG_LEASE);
        redis.holdElsewhere("mine");
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(redis.server.command("GET", Fixture.key("mine"))).isEqualTo("somebody-else");
    }

    @Test
    void unlockSucceedsWhileTheServerIsSilentAndTheKeyGoesLater() {
        DistributedLock lock = held(redis.factory(config -> config.commandTimeout(TIME_OUT)), LONG_LEASE);
        redis.server.pause();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        redis.server.resume();
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("mine"));
        assertThat(told).isEmpty();
    }

    @Test
    void unlockSucceedsWhileTheServerIsDownAndTheLockCanBeHadAgainLater() {
        DistributedLock lock = held(redis.factory(), LONG_LEASE);
        redis.server.kill();
        lock.unlock();
        redis.server.restart();
        await().pollInSameThread().atMost(Fixture.PATIENCE).ignoreExceptions().until(lock::tryLock);
        lock.unlock();
    }
}
