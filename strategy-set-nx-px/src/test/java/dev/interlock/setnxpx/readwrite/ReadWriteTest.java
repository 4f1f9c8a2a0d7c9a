// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.request.AccessControlTest;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The keys that read/write locks write to the server, and what happens to them when their clients are gone. */
class ReadWriteTest {
    private static final String NAME = "shared";
    private static final String KEY = Fixture.key(NAME) + ":rw:";

    private Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private DistributedReadWriteLock lock(Duration lease, boolean renewal) {
        return redis.factory()
                .getReadWriteLock(
                        NAME,
                        LockOptions.builder().lease(lease).renewal(renewal).build());
    }

    private DistributedReadWriteLock lock() {
        return lock(Duration.ofMinutes(1), true);
    }

    private Object sent(String command, String key, String... args) {
        String[] all = new String[args.length + 2];
        all[0] = command;
        all[1] = KEY + key;
        System.arraycopy(args, 0, all, 2, args.length);
        return redis.server.command(all);
    }

    private static FutureTask<Object> passing(DistributedLock side) {
        return Fixture.start(() -> Fixture.pass(side));
    }

    private void awaitWaiting(String list, long count) {
        await().atMost(Fixture.PATIENCE).until(() -> sent("ZCARD", list).equals(count));
    }

    private static void finish(FutureTask<?> task) throws Exception {
        task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void nothingButTheFenceIsLeftBehind() throws Exception {
        DistributedReadWriteLock lock = lock();
        lock.readLock().lock();
        FutureTask<Object> writer = passing(lock().writeLock());
        awaitWaiting("to-write", 1);
        FutureTask<Object> reader = passing(lock().readLock());
        awaitWaiting("to-read", 1);
        lock.readLock().unlock();
        finish(writer);
        finish(reader);
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of(KEY + "fence"));
    }

    @Test
    void theSetOfReadersLivesAsLongAsTheLongestLeaseAndTheDeadAreRemoved() {
        DistributedReadWriteLock longer = lock(Duration.ofMinutes(5), true);
        DistributedReadWriteLock brief = lock(Duration.ofMillis(200), false);
        longer.readLock().lock();
        brief.readLock().lock();
        assertThat((Long) sent("PTTL", "readers")).isGreaterThan(200_000);
        assertThat(sent("ZCARD", "readers")).isEqualTo(2L);
        await().atMost(Fixture.PATIENCE).until(() -> !brief.readLock().isHeldByCurrentThread());
        await().atMost(Fixture.PATIENCE).until(() -> {
            // Whoever comes removes who is dead.
            passing(lock().readLock()).get();
            return sent("ZCARD", "readers").equals(1L);
        });
        assertThat(longer.readLock().isHeldByCurrentThread()).isTrue();
    }

    @Test
    void aWaiterWhoseClientIsGoneHoldsUpNobody() {
        DistributedReadWriteLock lock = lock();
        lock.readLock().lock();
        sent("ZADD", "to-write", "1", "7 nobody-7 2000 1 interlock:client:nobody");
        assertThat(lock().readLock().tryLock()).isTrue();
        assertThat(sent("EXISTS", "to-write")).isEqualTo(0L);
    }

    @Test
    void aWaiterThatStandsStillHoldsItsTurnForTwoSecondsAtMost() throws Exception {
        boolean seen = false;
        // A busy machine may look only when the two seconds are over.
        for (int i = 0; i < 10 && !seen; i++) {
            DistributedReadWriteLock lock = lock();
            lock.writeLock().lock();
            FutureTask<Object> reader = passing(lock().readLock());
            awaitWaiting("to-read", 1);
            // It listens, and will not answer to this number.
            String channel = ((String) ((List<?>) sent("ZRANGE", "to-read", "0", "0")).get(0)).split(" ")[4];
            sent("ZADD", "to-write", "1", "99999999 silent-99999999 2000 1 " + channel);
            lock.writeLock().unlock();
            finish(reader);
            awaitWaiting("to-write", 0);
            seen = sent("EXISTS", "writer").equals(1L);
            assertThat((Long) sent("PTTL", "writer")).isLessThanOrEqualTo(2_000L);
            FutureTask<Object> late = passing(lock().readLock());
            finish(late);
        }
        assertThat(seen).as("its turn").isTrue();
    }

    @Test
    void whoWaitsAsksAgainThoughNoMessageComes() throws Exception {
        DistributedReadWriteLock lock = lock();
        lock.writeLock().lock();
        FutureTask<Object> reader = passing(lock().readLock());
        awaitWaiting("to-read", 1);
        // As if the lease had ended: nobody releases, so that nobody is told.
        sent("PEXPIRE", "writer", "50");
        finish(reader);
    }

    @Test
    void readersComeWhenTheLeaseOfAWriterThatGoesOnReadingIsOver() throws Exception {
        DistributedReadWriteLock lock = lock();
        lock.writeLock().lock();
        lock.readLock().lock();
        FutureTask<Object> reader = passing(lock().readLock());
        awaitWaiting("to-read", 1);
        FutureTask<Object> writer = passing(lock().writeLock());
        awaitWaiting("to-write", 1);
        // As if the lease had ended: the next script of a waiter is the first to see it.
        sent("PEXPIRE", "writer", "1");
        finish(reader);
        assertThat(writer.isDone()).as("whether somebody has written meanwhile").isFalse();
        lock.readLock().unlock();
        finish(writer);
        assertThat(sent("EXISTS", "readers")).isEqualTo(0L);
    }

    @Test
    void aDowngradeLeavesNothingButTheFenceBehind() {
        DistributedReadWriteLock lock = lock();
        for (boolean writesLonger : List.of(true, false)) {
            lock.writeLock().lock();
            lock.readLock().lock();
            (writesLonger ? lock.readLock() : lock.writeLock()).unlock();
            (writesLonger ? lock.writeLock() : lock.readLock()).unlock();
            assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of(KEY + "fence"));
        }
    }

    @Tag("deep")
    @Test
    void whatReadersShareIsRenewedTogether() {
        DistributedLockFactory factory = redis.factory();
        LockOptions options = Fixture.lease(Duration.ofSeconds(12));
        // Kept and closed: a handle that nobody has any more is not renewed.
        List<LockHandle> readers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            DistributedLock side = factory.getReadWriteLock(NAME, options).readLock();
            readers.add(side.acquireAsync().toCompletableFuture().join());
        }
        long before = scriptCalls();
        Object first = lowest();
        await().atMost(Fixture.PATIENCE).until(() -> !first.equals(lowest()));
        assertThat(scriptCalls() - before)
                .as("scripts that renewed twenty readers")
                .isLessThan(20);
        readers.forEach(LockHandle::close);
    }

    private Object lowest() {
        return ((List<?>) sent("ZRANGE", "readers", "0", "0", "WITHSCORES")).get(1);
    }

    private long scriptCalls() {
        return redis.server.commandStats().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("eval"))
                .mapToLong(java.util.Map.Entry::getValue)
                .sum();
    }

    @Test
    void theDocumentedListOfCommandsSuffices() throws Exception {
        redis.server.command(
                AccessControlTest.documentedList(0).replace(">…", ">s3cret").split(" "));
        String uri = "redis://locker:s3cret@127.0.0.1:" + redis.server.port();
        DistributedReadWriteLock mine =
                redis.factory(uri, config -> config).getReadWriteLock(NAME, Fixture.lease(Duration.ofMinutes(1)));
        DistributedReadWriteLock theirs = redis.factory(uri, config -> config).getReadWriteLock(NAME);
        mine.writeLock().lock();
        FutureTask<Object> reader = passing(theirs.readLock());
        awaitWaiting("to-read", 1);
        Fixture.renewByHand(mine.writeLock().lease().orElseThrow());
        assertThat(mine.writeLock().isLocked()).isTrue();
        mine.writeLock().unlock();
        finish(reader);
        mine.readLock().lock();
        FutureTask<Object> writer = passing(theirs.writeLock());
        awaitWaiting("to-write", 1);
        Fixture.renewByHand(mine.readLock().lease().orElseThrow());
        mine.readLock().unlock();
        finish(writer);
        assertThat((List<?>) redis.server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
    }

    @Test
    void withoutTheQueueThereAreNoReadWriteLocks() {
        for (String wakeup : List.of("pubsub", "poll")) {
            DistributedLockFactory factory = redis.factory(config -> config.option("wakeup", wakeup));
            assertThat(factory.profile().supports(Capability.READ_WRITE)).isFalse();
            assertThatThrownBy(() -> factory.getReadWriteLock(NAME))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("strategy \"set-nx-px\" has no read/write locks as it is configured");
        }
    }
}
