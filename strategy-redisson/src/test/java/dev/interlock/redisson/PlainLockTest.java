// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** One lock shared with programs that have used Redisson all along. */
class PlainLockTest {
    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    private RLock plain() {
        return redis.plain().getLock(Fixture.NAME);
    }

    @Test
    void whatAPlainLockHoldsIsRefused() {
        RLock plain = plain();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        plain.lock();
        assertThat(ours.tryLock()).isFalse();
        plain.unlock();
        assertThat(ours.tryLock()).isTrue();
        ours.unlock();
    }

    @Test
    void whatWeHoldIsRefusedToAPlainLock() {
        RLock plain = plain();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        ours.lock();
        assertThat(plain.tryLock()).isFalse();
        assertThat(plain.isLocked()).isTrue();
        assertThat(plain.isHeldByCurrentThread()).isFalse();
        assertThat(plain.remainTimeToLive()).isBetween(Fixture.LONG.toMillis() / 2, Fixture.LONG.toMillis());
        assertThatThrownBy(plain::unlock).isInstanceOf(IllegalMonitorStateException.class);
        ours.unlock();
        assertThat(plain.isLocked()).isFalse();
        assertThat(plain.tryLock()).isTrue();
    }

    @Test
    void theReleaseOfAPlainLockWakesUs() throws Exception {
        RLock plain = plain();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        plain.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
        FutureTask<Boolean> waiter = Fixture.start(() -> {
            ours.lock();
            ours.unlock();
            return true;
        });
        redis.awaitWaiter();
        plain.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }

    @Test
    void ourReleaseWakesAPlainLock() throws Exception {
        RLock plain = plain();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        ours.lock();
        FutureTask<Boolean> waiter = Fixture.start(() -> {
            plain.lock();
            plain.unlock();
            return true;
        });
        redis.awaitWaiter();
        ours.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }

    @Test
    void whenAPlainLockExpiresWeGetIt() throws Exception {
        RLock plain = plain();
        plain.lock(300, TimeUnit.MILLISECONDS);
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        assertThat(ours.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(plain::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(ours.isHeldByCurrentThread()).isTrue();
        ours.unlock();
    }

    @Test
    void whenOursExpiresAPlainLockGetsIt() throws Exception {
        RLock plain = plain();
        DistributedLockFactory factory = redis.factory(config -> config);
        // The lease counts from before the request, which shall not have to wait for a connection.
        assertThat(factory.getLock("to connect").tryLock()).isTrue();
        DistributedLock ours = factory.getLock(Fixture.NAME, Fixture.abandoned(Duration.ofSeconds(3)));
        ours.lock();
        assertThat(plain.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThatThrownBy(ours::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(plain.isHeldByCurrentThread()).isTrue();
        plain.unlock();
    }

    @Test
    void aForcedUnlockIsALoss() {
        DistributedLock ours = redis.lock(Fixture.lease(Duration.ofSeconds(15)));
        ours.lock();
        Lease lease = ours.lease().orElseThrow();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLoss(told::complete);
        assertThat(plain().forceUnlock()).isTrue();
        await().atMost(Fixture.PATIENCE).until(told::isDone);
        assertThat(told).isCompletedWithValue(LossCause.GONE);
        assertThatThrownBy(ours::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aForcedUnlockAfterWhichAPlainLockTookItIsALossToo() {
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        RLock plain = plain();
        ours.lock();
        plain.forceUnlock();
        plain.lock();
        assertThatThrownBy(ours::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(plain.isHeldByCurrentThread()).isTrue();
        plain.unlock();
    }

    @Test
    void holdsInRedisAreSeenByAPlainLockOfTheSameClientAndThread() throws Exception {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client, "holds", "redis").getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        assertThat(plain.getHoldCount()).isEqualTo(1);
        ours.lock();
        assertThat(plain.getHoldCount()).isEqualTo(2);
        ours.unlock();
        assertThat(plain.getHoldCount()).isEqualTo(1);
        assertThat(plain.isHeldByCurrentThread()).isTrue();
        assertThat(Fixture.result(Fixture.start(plain::getHoldCount)))
                .as("on another thread")
                .isZero();
        ours.unlock();
        assertThat(plain.getHoldCount()).isZero();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void aPlainLockEntersWhatItsThreadHoldsWithHoldsInRedisAndEachFreesItsOwn() {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client, "holds", "redis").getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        plain.lock();
        ours.lock();
        assertThat(plain.getHoldCount()).isEqualTo(3);
        plain.unlock();
        ours.unlock();
        ours.unlock();
        assertThat(redis.isTaken()).as("each has unlocked what it locked").isFalse();

        ours.lock();
        plain.lock();
        ours.unlock();
        assertThat(plain.getHoldCount()).as("the plain hold outlives ours").isEqualTo(1);
        assertThat(redis.lock(Fixture.lease(Fixture.LONG)).tryLock()).isFalse();
        plain.unlock();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void aPlainUnlockWithoutALockOfItsOwnLetsNobodyIn() {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client, "holds", "redis").getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        RLock theirs = redis.plain().getLock(Fixture.NAME);
        ours.lock();
        for (int i = 0; i < 3; i++) {
            if (plain.isHeldByCurrentThread()) {
                plain.unlock();
            }
            assertThat(theirs.tryLock()).as("a second holder").isFalse();
        }
        ours.lock();
        assertThat(plain.getHoldCount()).as("what we hold").isEqualTo(2);
        plain.unlock();
        ours.unlock();
        assertThat(theirs.tryLock()).as("a second holder").isFalse();
        assertThat(ours.isHeldByCurrentThread()).isTrue();
        ours.unlock();
        assertThat(redis.isTaken()).isFalse();
        assertThat(theirs.tryLock()).isTrue();
    }

    @Test
    void aPlainHoldThatOutlivesOursIsFreedByItsOwnUnlock() {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client, "holds", "redis").getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        plain.lock();
        plain.lock();
        ours.unlock();
        assertThat(redis.server.command("HVALS", Fixture.NAME)).isEqualTo(List.of("2"));
        plain.unlock();
        plain.unlock();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void aPlainHoldThatOutlivesOursHasItsOwnLease() {
        RedissonClient client = redis.plain();
        DistributedLock ours =
                redis.over(client, "holds", "redis").getLock(Fixture.NAME, Fixture.lease(Duration.ofSeconds(15)));
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        plain.lock();
        redis.server.command("PEXPIRE", Fixture.NAME, "15000");
        ours.unlock();
        assertThat(plain.getHoldCount()).isEqualTo(1);
        assertThat(plain.remainTimeToLive()).isGreaterThan(20_000);
        plain.unlock();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void withHoldsInRedisALeaseIsNoLongerThanThatOfPlainLocks() {
        DistributedLockFactory factory = redis.over(redis.plain(), "holds", "redis");
        assertRefused(factory.getLock(Fixture.NAME, Fixture.lease(Fixture.LONG))::lock);

        DistributedLock ours = factory.getLock(Fixture.NAME, Fixture.lease(Duration.ofSeconds(20)));
        ours.lock();
        assertRefused(() -> ours.lease().orElseThrow().ensureValid(Duration.ofMinutes(5)));
        ours.unlock();
    }

    private static void assertRefused(ThrowingCallable lease) {
        assertThatThrownBy(lease)
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.REFUSED))
                .hasMessageContaining("lockWatchdogTimeout of PT30S");
    }

    @Test
    void holdsInRedisGoWithTheLockFromThreadToThread() throws Exception {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client, "holds", "redis").getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        FutureTask<Integer> next = Fixture.start(() -> {
            ours.lock();
            return plain.getHoldCount();
        });
        await().during(Duration.ofMillis(300)).atMost(Fixture.PATIENCE).until(() -> !next.isDone());
        ours.unlock();
        assertThat(Fixture.result(next)).isEqualTo(1);
        assertThat(plain.getHoldCount()).as("of the thread before").isZero();
    }

    @Test
    void localHoldsAreOneFieldThatNoPlainLockTakesForItsOwn() {
        RedissonClient client = redis.plain();
        DistributedLock ours = redis.over(client).getLock(Fixture.NAME);
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        ours.lock();
        assertThat((List<?>) redis.server.command("HVALS", Fixture.NAME)).isEqualTo(List.of("1"));
        assertThat(plain.getHoldCount()).isZero();
        assertThat(plain.tryLock()).as("another owner, on the same thread too").isFalse();
        ours.unlock();
        ours.unlock();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void tokensGrowFromOneKindOfLockToTheOther() {
        RFencedLock plain = redis.plain().getFencedLock(Fixture.NAME);
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        long last = 0;
        for (int i = 0; i < 3; i++) {
            long theirs = plain.lockAndGetToken();
            plain.unlock();
            assertThat(theirs).isGreaterThan(last);
            ours.lock();
            last = ours.lease().orElseThrow().fencingToken().orElseThrow();
            ours.unlock();
            assertThat(last).isGreaterThan(theirs);
        }
    }

    @Test
    void aCounterThatAnRFencedLockMadeIsNeverForgotten() {
        redis.plain().getFencedLock(Fixture.NAME).lockAndGetToken();
        redis.plain().getLock(Fixture.NAME).forceUnlock();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        ours.lock();
        assertThat(redis.server.command("PTTL", Fixture.TOKEN)).isEqualTo(-1L);
        ours.unlock();
    }

    @Test
    void aCounterOfOursIsNeverForgottenUnlessItHasALife() {
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        ours.lock();
        assertThat(redis.server.command("PTTL", Fixture.TOKEN)).isEqualTo(-1L);
        ours.unlock();
        redis.server.command("DEL", Fixture.TOKEN);
        DistributedLock mortal =
                redis.factory(config -> config.option("token-life", "1d")).getLock(Fixture.NAME);
        mortal.lock();
        assertThat((Long) redis.server.command("PTTL", Fixture.TOKEN))
                .isBetween(1L, Duration.ofDays(1).toMillis());
        mortal.unlock();
    }

    @Test
    @Tag("deep")
    void severalProcessesOfBothKindsNeverHoldTheLockAtOnceAndTheirTokensGrow(@TempDir Path directory) throws Exception {
        LockingProcess.shareALock(redis.server.uri(), directory, System.getProperty("java.class.path"));
    }
}
