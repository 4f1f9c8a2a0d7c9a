// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;

/** One read/write lock shared with programs that have used Redisson's {@code RReadWriteLock} all along. */
class PlainReadWriteTest {
    private static final String CHANNEL = "redisson_rwlock:{invoice:42}";
    private static final Duration BRIEF = Duration.ofSeconds(3);

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    private RReadWriteLock plain() {
        return redis.plain().getReadWriteLock(Fixture.NAME);
    }

    private DistributedReadWriteLock ours() {
        return ours(Fixture.lease(Fixture.LONG));
    }

    /** Ours, over a client that is connected: a lease counts from before the request. */
    private DistributedReadWriteLock ours(LockOptions options) {
        DistributedLockFactory factory = redis.factory(config -> config);
        assertThat(factory.getLock("to connect").isLocked()).isFalse();
        return factory.getReadWriteLock(Fixture.NAME, options);
    }

    /** Whether a thread of its own gets a side, which it gives back. */
    private static boolean isFree(Lock side) throws Exception {
        return Fixture.result(Fixture.start(() -> {
            boolean had = side.tryLock();
            if (had) {
                side.unlock();
            }
            return had;
        }));
    }

    private static void assertFree(ReadWriteLock lock, boolean toRead, boolean toWrite) throws Exception {
        assertThat(isFree(lock.readLock())).as("to read").isEqualTo(toRead);
        assertThat(isFree(lock.writeLock())).as("to write").isEqualTo(toWrite);
    }

    private static FutureTask<Boolean> passing(Lock side) {
        return Fixture.start(() -> {
            side.lock();
            side.unlock();
            return true;
        });
    }

    private void awaitListeners(long count) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> ((List<?>) redis.server.command("PUBSUB", "NUMSUB", CHANNEL))
                        .get(1)
                        .equals(count));
    }

    /** Redisson deletes a key by which it remembers the outcome of an unlock, without waiting for it. */
    private void assertNothingButTheTokenIsLeft() {
        await().atMost(Fixture.PATIENCE)
                .untilAsserted(
                        () -> assertThat(redis.server.command("KEYS", "*")).isIn(List.of(), List.of(Fixture.TOKEN)));
    }

    private long timeToLive(String key) {
        return (Long) redis.server.command("PTTL", key);
    }

    /** The keys that live as long as the holds of readers. */
    private List<String> holds() {
        return ((List<?>) redis.server.command("KEYS", "{invoice:42}:*"))
                .stream().map(String.class::cast).toList();
    }

    private List<String> fields() {
        return ((List<?>) redis.server.command("HKEYS", Fixture.NAME))
                .stream().map(String.class::cast).toList();
    }

    @Test
    void readersOfBothKindsReadTogetherAndKeepAllWritersOut() throws Exception {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        plain.readLock().lock();
        assertFree(ours, true, false);
        ours.readLock().lock();
        assertFree(plain, true, false);
        plain.readLock().unlock();
        assertFree(plain, true, false);
        assertFree(ours(), true, false);
        plain.readLock().lock();
        ours.readLock().unlock();
        assertFree(ours, true, false);
        plain.readLock().unlock();
        assertFree(plain, true, true);
        assertFree(ours, true, true);
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void aWriterOfOneKindKeepsEverybodyOfTheOtherOut() throws Exception {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        plain.writeLock().lock();
        assertFree(ours, false, false);
        plain.writeLock().unlock();
        ours.writeLock().lock();
        assertFree(plain, false, false);
        assertThatThrownBy(plain.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
        ours.writeLock().unlock();
        assertFree(plain, true, true);
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void eachKindSeesWhichSideOfTheOtherIsHeld() {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        ours.readLock().lock();
        assertThat(plain.readLock().isLocked()).isTrue();
        assertThat(plain.writeLock().isLocked()).isFalse();
        assertThat(plain.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(plain.readLock().remainTimeToLive()).isBetween(Fixture.LONG.toMillis() / 2, Fixture.LONG.toMillis());
        ours.readLock().unlock();
        ours.writeLock().lock();
        assertThat(plain.readLock().isLocked()).isFalse();
        assertThat(plain.writeLock().isLocked()).isTrue();
        ours.readLock().lock();
        assertThat(plain.readLock().isLocked()).isTrue();
        ours.readLock().unlock();
        ours.writeLock().unlock();
        plain.readLock().lock();
        assertThat(ours.readLock().isLocked()).isTrue();
        assertThat(ours.writeLock().isLocked()).isFalse();
        plain.readLock().unlock();
        plain.writeLock().lock();
        assertThat(ours.readLock().isLocked()).isFalse();
        assertThat(ours.writeLock().isLocked()).isTrue();
        plain.writeLock().unlock();
    }

    @Test
    void ourHoldsAreWrittenAsThoseOfRedissonAre() {
        String client = "[0-9a-f-]{36}:";
        String ours = client + "[A-Za-z0-9_-]+";
        DistributedReadWriteLock lock = ours();
        lock.writeLock().lock();
        assertThat(redis.server.command("HGET", Fixture.NAME, "mode")).isEqualTo("write");
        assertThat(fields())
                .filteredOn(field -> !field.equals("mode"))
                .singleElement()
                .satisfies(field -> assertThat(field).matches(ours + ":write"));
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(redis.server.command("HGET", Fixture.NAME, "mode")).isEqualTo("read");
        String field =
                fields().stream().filter(it -> !it.equals("mode")).findFirst().orElseThrow();
        assertThat(field).matches(ours);
        assertThat(redis.server.command("HGET", Fixture.NAME, field)).isEqualTo("1");
        assertThat(holds()).containsExactly("{invoice:42}:" + field + ":rwlock_timeout:1");
        lock.readLock().unlock();

        RLock plain = plain().readLock();
        plain.lock();
        String theirs =
                fields().stream().filter(it -> !it.equals("mode")).findFirst().orElseThrow();
        assertThat(theirs).matches(client + "\\d+");
        assertThat(holds()).containsExactly("{invoice:42}:" + theirs + ":rwlock_timeout:1");
        plain.unlock();
    }

    @Test
    void theReleaseOfAPlainReaderWakesOurWriter() throws Exception {
        RLock plain = plain().readLock();
        plain.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
        FutureTask<Boolean> waiter = passing(ours().writeLock());
        awaitListeners(1);
        plain.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }

    @Test
    void theReleaseOfAPlainWriterWakesAllOurReaders() throws Exception {
        RLock plain = plain().writeLock();
        DistributedReadWriteLock ours = ours();
        plain.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
        List<FutureTask<Boolean>> waiters =
                List.of(passing(ours.readLock()), passing(ours.readLock()), passing(ours().readLock()));
        awaitListeners(2);
        plain.unlock();
        for (FutureTask<Boolean> waiter : waiters) {
            assertThat(Fixture.result(waiter)).isTrue();
        }
    }

    /** Runs something on a thread that waits for a plain lock, and will not ask again before it is told. */
    private static FutureTask<Boolean> plainWaiter(Callable<Boolean> task) {
        FutureTask<Boolean> waiter = new FutureTask<>(task);
        Thread thread = new Thread(waiter, "plain waiter");
        thread.setDaemon(true);
        thread.start();
        await().atMost(Fixture.PATIENCE)
                .until(() -> Stream.of(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals("java.util.concurrent.Semaphore")));
        return waiter;
    }

    @Test
    void theReleaseOfOurReaderWakesAPlainWriter() throws Exception {
        DistributedLock ours = ours().readLock();
        RLock plain = plain().writeLock();
        ours.lock();
        FutureTask<Boolean> waiter = plainWaiter(() -> {
            plain.lock();
            plain.unlock();
            return true;
        });
        ours.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }

    @Test
    void theReleaseOfOurWriterWakesAllPlainReadersTogether() throws Exception {
        DistributedLock ours = ours().writeLock();
        RLock plain = plain().readLock();
        CyclicBarrier all = new CyclicBarrier(3);
        ours.lock();
        List<FutureTask<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < all.getParties(); i++) {
            waiters.add(plainWaiter(() -> {
                plain.lock();
                // They share a subscription, and none of them unlocks before the others have been woken, too.
                all.await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                plain.unlock();
                return true;
            }));
        }
        ours.unlock();
        for (FutureTask<Boolean> waiter : waiters) {
            assertThat(Fixture.result(waiter)).isTrue();
        }
    }

    @Test
    void eachSideOfAPlainLockIsHadWhenTheLeaseOfItsDeadHolderIsOver() throws Exception {
        RReadWriteLock plain = plain();
        for (RLock dead : List.of(plain.readLock(), plain.writeLock())) {
            dead.lock(300, TimeUnit.MILLISECONDS);
            DistributedLock writer = ours().writeLock();
            assertThat(writer.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThatThrownBy(dead::unlock).isInstanceOf(IllegalMonitorStateException.class);
            assertThat(isFree(ours().readLock())).as("while our writer is in").isFalse();
            writer.unlock();
        }
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void eachSideOfOursIsHadByAPlainLockWhenTheLeaseOfItsDeadHolderIsOver() throws Exception {
        for (boolean writes : List.of(false, true)) {
            DistributedReadWriteLock ours = ours(Fixture.abandoned(BRIEF));
            DistributedLock dead = writes ? ours.writeLock() : ours.readLock();
            RLock plain = plain().writeLock();
            dead.lock();
            assertThat(plain.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThatThrownBy(dead::unlock).isInstanceOf(LeaseLostException.class);
            assertThat(plain.isHeldByCurrentThread()).isTrue();
            plain.unlock();
        }
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void aDeadReaderOfOneKindIsGoneWithTheLastLiveOneOfTheOther() throws Exception {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        ours(Fixture.abandoned(BRIEF)).readLock().lock();
        plain.readLock().lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
        await().atMost(Fixture.PATIENCE).until(() -> holds().size() == 1);
        assertFree(ours, true, false);
        plain.readLock().unlock();
        assertThat(isFree(ours.writeLock())).as("the dead alone are left").isTrue();

        plain.readLock().lock(300, TimeUnit.MILLISECONDS);
        ours.readLock().lock();
        await().atMost(Fixture.PATIENCE).until(() -> holds().size() == 1);
        assertFree(plain, true, false);
        ours.readLock().unlock();
        assertThat(isFree(plain.writeLock())).as("the dead alone are left").isTrue();
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void theLockLivesNoLongerThanTheLongestLeaseThatIsLeft() {
        RLock plain = plain().readLock();
        DistributedLock ours = ours().readLock();
        plain.lock(1, TimeUnit.MINUTES);
        ours.lock();
        assertThat(timeToLive(Fixture.NAME)).isGreaterThan(60_000);
        ours.unlock();
        assertThat(timeToLive(Fixture.NAME)).isBetween(1L, 60_000L);
        plain.unlock();
    }

    @Test
    void eachKindCountsItsOwnReEntries() throws Exception {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        ours.readLock().lock();
        ours.readLock().lock();
        plain.readLock().lock();
        plain.readLock().lock();
        assertThat(plain.readLock().getHoldCount()).isEqualTo(2);
        ours.readLock().unlock();
        plain.readLock().unlock();
        assertThat(ours.readLock().getHoldCount()).isEqualTo(1);
        assertThat(plain.readLock().getHoldCount()).isEqualTo(1);
        ours.readLock().unlock();
        assertFree(ours, true, false);
        ours.readLock().lock();
        plain.readLock().unlock();
        assertFree(plain, true, false);
        ours.readLock().unlock();
        assertFree(ours, true, true);

        ours.writeLock().lock();
        ours.writeLock().lock();
        ours.writeLock().unlock();
        assertFree(plain, false, false);
        ours.writeLock().unlock();
        plain.writeLock().lock();
        plain.writeLock().lock();
        plain.writeLock().unlock();
        assertFree(ours, false, false);
        plain.writeLock().unlock();
        assertFree(ours, true, true);
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void aWriterOfEitherKindThatGoesOnReadingLetsReadersOfTheOtherInAndNoWriters() throws Exception {
        RReadWriteLock plain = plain();
        DistributedReadWriteLock ours = ours();
        ours.writeLock().lock();
        FutureTask<Boolean> reader = plainWaiter(() -> {
            plain.readLock().lock();
            plain.readLock().unlock();
            return true;
        });
        ours.readLock().lock();
        assertThat(reader.isDone()).as("while ours writes").isFalse();
        ours.writeLock().unlock();
        assertThat(Fixture.result(reader)).as("woken by the end of writing").isTrue();
        assertFree(plain, true, false);
        ours.readLock().unlock();

        plain.writeLock().lock();
        plain.readLock().lock();
        assertFree(ours, false, false);
        plain.writeLock().unlock();
        assertFree(ours, true, false);
        plain.readLock().unlock();
        assertFree(ours, true, true);
        assertNothingButTheTokenIsLeft();
    }

    @Test
    void ourLeasesAreRenewedWhereAPlainLockLooks() throws Exception {
        DistributedReadWriteLock ours = ours(Fixture.lease(Duration.ofSeconds(15)));
        for (DistributedLock side : List.of(ours.readLock(), ours.writeLock())) {
            side.lock();
            List<String> keys = new ArrayList<>(holds());
            assertThat(keys).hasSize(side.equals(ours.readLock()) ? 1 : 0);
            keys.add(Fixture.NAME);
            for (String key : keys) {
                await(key).atMost(Fixture.PATIENCE).until(() -> timeToLive(key) < 12_000);
                await("renewed: " + key).atMost(Fixture.PATIENCE).until(() -> timeToLive(key) > 12_500);
            }
            side.unlock();
        }
    }

    @Test
    void aForcedUnlockIsALossThatLeavesNothing() {
        DistributedReadWriteLock ours = ours();
        RReadWriteLock plain = plain();
        ours.readLock().lock();
        assertThat(plain.readLock().forceUnlock()).isTrue();
        plain.writeLock().lock();
        assertThatThrownBy(ours.readLock()::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(plain.writeLock().isHeldByCurrentThread()).isTrue();
        plain.writeLock().unlock();
        ours.writeLock().lock();
        assertThat(plain.writeLock().forceUnlock()).isTrue();
        assertThatThrownBy(ours.writeLock()::unlock).isInstanceOf(LeaseLostException.class);
        assertNothingButTheTokenIsLeft();
    }

    private static void assertRefused(ThrowingCallable lease) {
        assertThatThrownBy(lease)
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.REFUSED))
                .hasMessageContaining("lockWatchdogTimeout of PT30S");
    }

    @Test
    void aPlainReaderShortensLongerLeasesWhichAreThereforeRefusedOverItsClient() {
        DistributedLockFactory factory = redis.over(redis.plain());
        DistributedReadWriteLock ours = factory.getReadWriteLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
        assertRefused(ours.readLock()::lock);
        DistributedLock reader = factory.getReadWriteLock(Fixture.NAME, Fixture.lease(Duration.ofSeconds(20)))
                .readLock();
        reader.lock();
        assertRefused(() -> reader.lease().orElseThrow().ensureValid(Duration.ofMinutes(5)));
        reader.unlock();
        ours.writeLock().lock();
        ours.writeLock().unlock();

        DistributedLock longer = ours().readLock();
        longer.lock();
        RLock plain = redis.plain(config -> config.setLockWatchdogTimeout(9_000))
                .getReadWriteLock(Fixture.NAME)
                .readLock();
        plain.lock();
        await("what a plain renewal makes of the lock")
                .atMost(Fixture.PATIENCE)
                .until(() -> timeToLive(Fixture.NAME) < 10_000);
        assertThat(longer.lease().orElseThrow().remaining()).isGreaterThan(Duration.ofMinutes(5));
        plain.unlock();
        longer.unlock();
    }

    @Test
    void aReaderHasTheTokenOfOurLastWriterAndPlainOnesHaveNone() {
        DistributedReadWriteLock ours = ours();
        RReadWriteLock plain = plain();
        long first = token(ours.writeLock());
        assertThat(token(ours.readLock())).isEqualTo(first);
        plain.writeLock().lock();
        plain.writeLock().unlock();
        assertThat(token(ours.readLock())).isEqualTo(first);
        assertThat(token(ours.writeLock())).isGreaterThan(first);
    }

    private static long token(DistributedLock side) {
        side.lock();
        long token = side.lease().orElseThrow().fencingToken().orElseThrow();
        side.unlock();
        return token;
    }

    @Test
    @Tag("deep")
    void underLoadReadersOfEitherKindNeverMeetAWriter() throws Exception {
        List<ReadWriteLock> locks = List.of(plain(), ours(), plain(), ours());
        ReadersAndWriters seen = new ReadersAndWriters();
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < locks.size() * 2; i++) {
            int thread = i;
            ReadWriteLock lock = locks.get(i % locks.size());
            tasks.add(Fixture.start(() -> {
                for (int round = 0; round < 50; round++) {
                    boolean writes = (round + thread) % 3 == 0;
                    Lock side = writes ? lock.writeLock() : lock.readLock();
                    // Polls: a plain thread that misses a message waits for the rest of a lease.
                    while (!side.tryLock()) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                    seen.enter(writes);
                    Thread.yield();
                    seen.leave(writes);
                    side.unlock();
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> task : tasks) {
            assertThat(Fixture.result(task)).isTrue();
        }
        assertThat(seen.meetings()).as("writers that were not alone").isZero();
        assertNothingButTheTokenIsLeft();
    }

    /** Those who are in, and how often a writer was not alone. A monitor. */
    private static final class ReadersAndWriters {
        private int readers;
        private int writers;
        private int meetings;

        synchronized void enter(boolean writes) {
            meetings += writers > 0 || (writes && readers > 0) ? 1 : 0;
            writers += writes ? 1 : 0;
            readers += writes ? 0 : 1;
        }

        synchronized void leave(boolean writes) {
            writers -= writes ? 1 : 0;
            readers -= writes ? 0 : 1;
        }

        synchronized int meetings() {
            return meetings;
        }
    }
}
