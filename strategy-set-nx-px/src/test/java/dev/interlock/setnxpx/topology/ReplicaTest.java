// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockListener;
import dev.interlock.LossCause;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.setnxpx.request.AccessControlTest;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks that count once a replica has acknowledged them. */
@Execution(ExecutionMode.CONCURRENT)
class ReplicaTest extends OnChosenClients {
    private static final String NAME = "copied";
    private static final Duration LONG_LEASE = Duration.ofMinutes(10);

    /** Replicas have three quarters of it. */
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    private static final int TRIES = 20;

    private static final long TWO_MINUTES = Duration.ofMinutes(2).toMillis();

    private RedisServer replica;

    @BeforeEach
    void startReplica() {
        redis.server.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
        replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(redis.server.port()));
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server.command("WAIT", "1", "100").equals(1L));
    }

    @AfterEach
    void stopReplica() {
        replica.close();
    }

    /** A client that asks for the replica, and has its connections. */
    private DistributedLockFactory client(Duration timeout, LockListener... listeners) {
        DistributedLockFactory factory = redis.factory(config -> {
            List.of(listeners).forEach(config::listener);
            return config.option("replicas", "1").commandTimeout(timeout);
        });
        // The first connection may take longer than a short time-out on a busy machine.
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> Fixture.warmUp(factory));
        return factory;
    }

    private void awaitWaitingForTheReplica(int clients) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(redis.server.command("INFO", "clients"))
                        .contains("blocked_clients:" + clients + "\r\n"));
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void anAcknowledgedLockSurvivesThePromotionOfTheReplica() {
        DistributedLock held = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(LONG_LEASE));
        held.lock();
        redis.server.kill();
        replica.command("REPLICAOF", "NO", "ONE");
        DistributedLock other = redis.factory(replica.uri(), config -> config).getLock(NAME, Fixture.lease(LONG_LEASE));
        assertThat(other.tryLock()).isFalse();
        assertThat((Long) replica.command("PTTL", Fixture.key(NAME))).isPositive();
    }

    @Test
    void eachOfManyAcquisitionsInASecondIsAcknowledged() {
        DistributedLock lock = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(LONG_LEASE));
        long before = redis.server.commandStats().getOrDefault("wait", 0L);
        for (int i = 0; i < 10; i++) {
            Fixture.pass(lock);
        }
        assertThat(redis.server.commandStats().getOrDefault("wait", 0L)).isGreaterThanOrEqualTo(before + 10);
    }

    @Test
    void aLockThatNoReplicaAcknowledgesIsGivenBackAndReported() {
        DistributedLock lock = client(SHORT_TIMEOUT).getLock(NAME, Fixture.lease(LONG_LEASE));
        replica.pause();
        LockBackendException failure = null;
        // A reply that a busy machine reads too late says less.
        for (int i = 0; i < TRIES && (failure == null || failure.reason() == Reason.OUTCOME_UNKNOWN); i++) {
            failure = catchThrowableOfType(LockBackendException.class, lock::lock);
            assertThat(failure).isNotNull();
        }
        assertThat(failure)
                .hasMessageContaining(
                        "lock \"copied\" was granted and is given back: 0 of 1 replicas of redis://127.0.0.1:"
                                + redis.server.port() + " acknowledged EVALSHA in time")
                .hasMessageContaining("bring back or add replicas, or ask for fewer")
                .extracting(LockBackendException::reason)
                .isEqualTo(Reason.UNREACHABLE);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken(NAME));
        replica.resume();
        assertThat(Fixture.pass(lock)).isNotNull();
    }

    @Test
    void aHolderWhoseRenewalsNoReplicaAcknowledgesIsToldWhenTheAcknowledgedLeaseEnds() {
        DistributedLock lock = client(SHORT_TIMEOUT).getLock(NAME, Fixture.lease(Duration.ofSeconds(4)));
        LossCause told = null;
        // A busy machine that does not even ask for a renewal in time says less.
        for (int i = 0; i < TRIES && told != LossCause.UNREACHABLE; i++) {
            told = lossWithoutTheReplica(lock);
        }
        assertThat(told).isEqualTo(LossCause.UNREACHABLE);
    }

    /** Holds a lock until its lease ends because the replica stands still, and returns what the holder is told. */
    private LossCause lossWithoutTheReplica(DistributedLock lock) {
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lock.lock();
        lock.lease().ifPresentOrElse(lease -> lease.onLoss(told::complete), () -> told.complete(LossCause.EXPIRED));
        replica.pause();
        await().atMost(Fixture.PATIENCE).until(told::isDone);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        replica.resume();
        // What the last renewal may have extended is given back.
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken(NAME));
        return told.join();
    }

    @Test
    @Tag("deep")
    void anAcquisitionOnAStalledServerLeavesNoGhost() {
        DistributedLock lock = client(SHORT_TIMEOUT).getLock(NAME, Fixture.lease(LONG_LEASE));
        redis.server.pause();
        assertThatThrownBy(lock::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN));
        redis.server.resume();
        await().atMost(Fixture.PATIENCE).until(() -> redis.server.command("GET", Fixture.key(NAME) + ":fence") != null);
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken(NAME));
    }

    @Test
    void theTimeThatTheReplicaTakesCountsAgainstTheLease() throws Exception {
        DistributedLock lock = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(LONG_LEASE));
        replica.pause();
        FutureTask<Duration> remaining = Fixture.start(() -> {
            lock.lock();
            Duration left = lock.lease().orElseThrow().remaining();
            lock.unlock();
            return left;
        });
        awaitWaitingForTheReplica(1);
        long before = LONG_LEASE.minusSeconds(1).toMillis();
        await().atMost(Fixture.PATIENCE).until(() -> left() < before);
        long left = left();
        assertThat(remaining.isDone()).isFalse();
        replica.resume();
        assertThat(get(remaining)).isLessThan(Duration.ofMillis(left));
    }

    private long left() {
        return (Long) redis.server.command("PTTL", Fixture.key(NAME));
    }

    @Test
    void whoeverWaitsForTheReplicaKeepsNobodyElse() throws Exception {
        DistributedLockFactory factory = client(Fixture.PATIENCE);
        DistributedLock other = factory.getLock("other", Fixture.lease(LONG_LEASE));
        other.lock();
        replica.pause();
        FutureTask<Lease> waiting = Fixture.passing(factory.getLock(NAME, Fixture.lease(LONG_LEASE)));
        awaitWaitingForTheReplica(1);
        other.unlock();
        assertThat(other.isLocked()).isFalse();
        awaitWaitingForTheReplica(1);
        assertThat(waiting.isDone()).isFalse();
        replica.resume();
        get(waiting);
    }

    @Test
    void aGrantThatAMessageBringsCountsOnceItIsAcknowledged() throws Exception {
        DistributedLock mine = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(LONG_LEASE));
        mine.lock();
        FutureTask<Lease> waiting = Fixture.passing(client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters(NAME, 1);
        awaitWaitingForTheReplica(0);
        replica.pause();
        mine.unlock();
        awaitWaitingForTheReplica(1);
        assertThat(redis.isTaken(NAME)).as("written for the waiter").isTrue();
        assertThat(waiting.isDone()).isFalse();
        replica.resume();
        get(waiting);
    }

    @Test
    @Tag("deep")
    void aLocalHandOffPassesOnNoMoreThanWasAcknowledged() throws Exception {
        CompletableFuture<Object> queued = new CompletableFuture<>();
        CompletableFuture<Object> failed = new CompletableFuture<>();
        DistributedLockFactory factory = client(SHORT_TIMEOUT, new LockListener() {
            @Override
            public void queueChanged(QueueChanged event) {
                queued.complete(event);
            }

            @Override
            public void renewalFailed(RenewalFailed event) {
                failed.complete(event);
            }
        });
        DistributedLock lock = factory.getLock(NAME, Fixture.lease(Duration.ofSeconds(12)));
        lock.lock();
        FutureTask<Lease> next = Fixture.passing(lock);
        await().atMost(Fixture.PATIENCE).until(queued::isDone);
        replica.pause();
        await().atMost(Fixture.PATIENCE).until(failed::isDone);
        lock.unlock();
        await().atMost(Fixture.PATIENCE)
                .until(() ->
                        String.valueOf(redis.server.command("INFO", "clients")).contains("blocked_clients:1\r\n"));
        assertThat(next.isDone()).as("it asks for itself").isFalse();
        replica.resume();
        get(next);
    }

    @Test
    void anAcquisitionARenewalAndTheirWaitsAreOneWriteEach() {
        DistributedLock lock = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(Duration.ofMinutes(1)));
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            Fixture.renewByHand(lock.lease().orElseThrow());
            lock.unlock();
            monitor.sync();
            assertThat(monitor.commands().stream()
                            .map(command -> command.get(0))
                            .toList())
                    .as("a release needs no replica")
                    .startsWith("EVALSHA", "WAIT", "EVALSHA")
                    .endsWith("WAIT", "EVALSHA");
        }
    }

    /** Newer servers than Redis 7.0 answer a WAIT at once whose connection has written nothing. */
    @Test
    void aRenewalOfALongerLeaseIsWrittenToTheReplicaAllTheSame() {
        DistributedLock lock = client(Fixture.PATIENCE).getLock(NAME, Fixture.lease(Duration.ofMinutes(1)));
        lock.lock();
        renewALongerLease(lock, Fixture.key(NAME));
    }

    @Test
    void aSideThatRenewsALongerLeaseWritesItToTheReplicaAllTheSame() {
        DistributedReadWriteLock lock =
                client(Fixture.PATIENCE).getReadWriteLock(NAME, Fixture.lease(Duration.ofMinutes(1)));
        lock.writeLock().lock();
        renewALongerLease(lock.writeLock(), Fixture.key(NAME) + ":rw:writer");
        lock.writeLock().unlock();
        lock.readLock().lock();
        String readers = Fixture.key(NAME) + ":rw:readers";
        Object token = ((List<?>) redis.server.command("ZRANGE", readers, "0", "0")).get(0);
        long end = System.currentTimeMillis() + LONG_LEASE.toMillis();
        redis.server.command("ZADD", readers, "XX", Long.toString(end), String.valueOf(token));
        renewALongerLease(lock.readLock(), readers);
        lock.readLock().unlock();
    }

    /** Whoever admits it may do so within the same millisecond, or a server's clock may have been set back since. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderWhoHasALongerTurnThanItsLeaseWritesItToTheReplicaAllTheSame(boolean writersWait) throws Exception {
        String base = Fixture.key(NAME) + ":rw:";
        DistributedLock writer = redis.factory(config -> config)
                .getReadWriteLock(NAME, Fixture.lease(LONG_LEASE))
                .writeLock();
        writer.lock();
        FutureTask<Lease> reading = Fixture.passing(client(Fixture.PATIENCE)
                .getReadWriteLock(NAME, Fixture.lease(Duration.ofMinutes(1)))
                .readLock());
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server.command("ZCARD", base + "to-read").equals(1L));
        String place = String.valueOf(((List<?>) redis.server.command("ZRANGE", base + "to-read", "0", "0")).get(0));
        String[] numberTokenAndMore = place.split(" ", -1);
        String end = Long.toString(System.currentTimeMillis() + LONG_LEASE.toMillis());
        redis.server.command("ZADD", base + "readers", end, numberTokenAndMore[1]);
        redis.server.command("PEXPIRE", base + "readers", Long.toString(LONG_LEASE.toMillis()));
        if (writersWait) {
            redis.server.command("ZADD", base + "to-write", "1", "1 token 1000 1 of-nobody");
        }
        redis.server.command("DEL", base + "to-read", base + "writer");
        await().atMost(Fixture.PATIENCE)
                .until(() -> replica.command("EXISTS", base + "writer").equals(0L));
        long before = replica.commandStats().getOrDefault("pexpireat", 0L);
        redis.server.command("PUBLISH", numberTokenAndMore[numberTokenAndMore.length - 1], numberTokenAndMore[0]);
        assertThat(get(reading)).isNotNull();
        assertThat(replica.commandStats().getOrDefault("pexpireat", 0L)).isGreaterThan(before);
    }

    private void renewALongerLease(DistributedLock held, String key) {
        redis.server.command("PEXPIRE", key, Long.toString(LONG_LEASE.toMillis()));
        await().atMost(Fixture.PATIENCE).until(() -> (Long) replica.command("PTTL", key) > TWO_MINUTES);
        long before = replica.commandStats().getOrDefault("pexpireat", 0L);
        Fixture.renewByHand(held.lease().orElseThrow());
        assertThat(replica.commandStats().getOrDefault("pexpireat", 0L)).isGreaterThan(before);
        assertThat((Long) replica.command("PTTL", key)).as("no shorter").isGreaterThan(TWO_MINUTES);
    }

    @Test
    void aUserWithTheDocumentedListsMayWaitForReplicas() throws Exception {
        for (int line : List.of(0, 2)) {
            redis.server.command(AccessControlTest.documentedList(line)
                    .replace(">…", ">s3cret")
                    .split(" "));
        }
        DistributedLockFactory factory = redis.factory(
                "redis://locker:s3cret@127.0.0.1:" + redis.server.port(), config -> config.option("replicas", "1"));
        assertThat(Fixture.pass(factory.getLock(NAME, Fixture.lease(LONG_LEASE))))
                .isNotNull();
        assertThat((List<?>) redis.server.command("ACL", "LOG")).isEmpty();
    }

    @Test
    void aUserWhoMayNotWaitForReplicasIsToldAndHoldsNothing() throws Exception {
        redis.server.command(
                AccessControlTest.documentedList(0).replace(">…", ">s3cret").split(" "));
        DistributedLockFactory factory = redis.factory(
                "redis://locker:s3cret@127.0.0.1:" + redis.server.port(), config -> config.option("replicas", "1"));
        DistributedLock lock = factory.getLock(NAME, Fixture.lease(LONG_LEASE));
        assertThatThrownBy(lock::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
                .hasMessageContaining("lock \"copied\" was granted and is given back")
                .hasMessageContaining("NOPERM");
        assertThat(redis.isTaken(NAME)).isFalse();
    }

    @Test
    void aServerThatCannotWaitForItsDiskIsNamedAtTheFirstUse() {
        DistributedLock lock =
                redis.factory(config -> config.option("durability", "disk")).getLock(NAME, Fixture.lease(LONG_LEASE));
        assertThatThrownBy(lock::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
                .hasMessageContaining("redis://127.0.0.1:" + redis.server.port() + " refused WAITAOF")
                .hasMessageContaining("it needs Redis 7.2 or newer");
        assertThat(redis.isTaken(NAME)).isFalse();
    }
}
