// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockListener;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RespConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Acquisitions while the server is slow, silent, unreachable or unwilling. */
class OutageTest extends OnChosenClients {
    /** Far longer than any test may take: whoever waits for it has missed its wake-up. */
    private static final Duration LONG_LEASE = Duration.ofHours(1);

    private static final int TRIES = 10;

    private void assertGetsTheLock(FutureTask<Lease> waiter) throws Exception {
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aWaiterWhoseSubscriptionWasCutGetsTheLock() throws Exception {
        DistributedLock held = redis.factory().getLock("cut", Fixture.lease(LONG_LEASE));
        held.lock();
        FutureTask<Lease> waiter = Fixture.passing(redis.factory().getLock("cut", Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters("cut", 1);
        assertThat((Long) redis.server.command("CLIENT", "KILL", "TYPE", "pubsub"))
                .isPositive();
        held.unlock();
        assertGetsTheLock(waiter);
    }

    @Test
    void aWaiterThatHearsOfNoReleaseGetsTheLockByTheCeiling() throws Exception {
        redis.server.command("SET", Fixture.key("silent"), "somebody-else", "EX", "3600");
        FutureTask<Lease> waiter = Fixture.passing(redis.factory().getLock("silent"));
        redis.awaitWaiters("silent", 1);
        redis.server.command("DEL", Fixture.key("silent"));
        assertGetsTheLock(waiter);
    }

    @Test
    void aWaiterHearsOfAReleaseBeforeTheCeiling() throws Exception {
        DistributedLock held = redis.factory().getLock("heard", Fixture.lease(LONG_LEASE));
        held.lock();
        DistributedLockFactory waiting = redis.factory(config -> config.waitCeiling(Duration.ofHours(1)));
        FutureTask<Lease> waiter = Fixture.passing(waiting.getLock("heard", Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters("heard", 1);
        held.unlock();
        assertGetsTheLock(waiter);
    }

    @Test
    void aWaiterHearsAgainAfterItsSubscriptionWasCut() throws Exception {
        DistributedLock held = redis.factory().getLock("again", Fixture.lease(LONG_LEASE));
        held.lock();
        DistributedLockFactory waiting = redis.factory(config -> config.waitCeiling(Duration.ofHours(1)));
        FutureTask<Lease> waiter = Fixture.passing(waiting.getLock("again", Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters("again", 1);
        redis.server.command("CLIENT", "KILL", "TYPE", "pubsub");
        held.unlock();
        assertGetsTheLock(waiter);
    }

    @Test
    void aWaiterGetsTheLockWhenTheLeaseOfADeadHolderEnds() throws Exception {
        redis.server.command("SET", Fixture.key("dead"), "somebody-else", "PX", "1500");
        DistributedLockFactory waiting = redis.factory(config -> config.waitCeiling(Duration.ofHours(1)));
        assertGetsTheLock(Fixture.passing(waiting.getLock("dead", Fixture.lease(LONG_LEASE))));
    }

    @Test
    void aTimedAcquisitionOnAStalledServerGivesUpAndLeavesNoGhost() throws Exception {
        Fixture.warmUp(redis.factory());
        DistributedLockFactory factory = redis.factory(config -> config.commandTimeout(Duration.ofSeconds(5)));
        DistributedLock lock = factory.getLock("stalled", Fixture.lease(LONG_LEASE));
        LockBackendException failure = null;
        // A busy machine may take so long that the client finds out before it asks for the lock.
        for (int i = 0; i < TRIES && (failure == null || failure.reason() == Reason.UNREACHABLE); i++) {
            redis.server.resume();
            Fixture.warmUp(factory);
            redis.server.pause();
            // The server comes back only when the acquisition has given up: that it ends at all is what is shown.
            failure = catchThrowableOfType(LockBackendException.class, () -> lock.tryLock(1, TimeUnit.SECONDS));
            assertThat(failure).isNotNull();
        }
        assertThat(failure.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        redis.server.resume();
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server.command("GET", Fixture.key("stalled") + ":fence") != null);
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("stalled"));
        await().during(Duration.ofSeconds(1)).atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("stalled"));
        assertThat(lock.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        lock.unlock();
    }

    @Test
    void anAcquisitionWhoseReplyIsLostLeavesNoGhost() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(redis.server)) {
            DistributedLockFactory factory = redis.factory(proxy.uri(), config -> config);
            Fixture.warmUp(factory);
            DistributedLock lock = factory.getLock("lost-reply", Fixture.lease(LONG_LEASE));
            proxy.trap("lost-reply", FaultProxy.Trap.LOSE_REPLY);
            assertThatThrownBy(lock::tryLock)
                    .isInstanceOfSatisfying(
                            LockBackendException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN));
            await().atMost(Fixture.PATIENCE)
                    .until(() -> redis.server.command("GET", Fixture.key("lost-reply") + ":fence") != null
                            && !redis.isTaken("lost-reply"));
        }
    }

    @Test
    void aReleaseWhoseReplyIsLostIsNoErrorAndFreesTheLock() {
        try (FaultProxy proxy = FaultProxy.to(redis.server)) {
            DistributedLockFactory factory = redis.factory(proxy.uri(), config -> config);
            Fixture.warmUp(factory);
            DistributedLock lock = factory.getLock("lost-reply", Fixture.lease(LONG_LEASE));
            lock.lock();
            proxy.trap("lost-reply", FaultProxy.Trap.LOSE_REPLY);
            lock.unlock();
            await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("lost-reply"));
        }
    }

    @Test
    void aWaiterRidesOutARestartOfTheServer() throws Exception {
        redis.holdElsewhere("restart");
        FutureTask<Lease> waiter = Fixture.passing(redis.factory().getLock("restart", Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters("restart", 1);
        redis.server.restart();
        assertGetsTheLock(waiter);
    }

    /** A waiter whose requests fail for a while, and that has the lock afterwards. */
    private void assertRiddenOut(String error, Runnable begin, Runnable end) throws Exception {
        redis.holdElsewhere("passing");
        CompletableFuture<LockBackendException> outage = new CompletableFuture<>();
        DistributedLockFactory factory = redis.factory(config -> config.listener(new LockListener() {
            @Override
            public void outageBegan(OutageBegan event) {
                outage.complete(event.cause());
            }
        }));
        FutureTask<Lease> waiter = Fixture.passing(factory.getLock("passing", Fixture.lease(LONG_LEASE)));
        redis.awaitWaiters("passing", 1);
        begin.run();
        assertThat(outage.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("is not ready for")
                .hasMessageContaining(error)
                .extracting(LockBackendException::reason)
                .isEqualTo(Reason.UNREACHABLE);
        end.run();
        // A script that was told to end may yet run for a moment.
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptions()
                .until(() -> redis.server.command("DEL", Fixture.key("passing")) != null);
        assertGetsTheLock(waiter);
    }

    @Test
    void aWaiterRidesOutAPrimaryThatHasTooFewReplicas() throws Exception {
        assertRiddenOut(
                "NOREPLICAS",
                () -> redis.server.command("CONFIG", "SET", "min-replicas-to-write", "1"),
                () -> redis.server.command("CONFIG", "SET", "min-replicas-to-write", "0"));
    }

    @Test
    @Tag("deep")
    void aWaiterRidesOutAReplicaThatHasLostItsPrimary() throws Exception {
        redis.server.command("CONFIG", "SET", "replica-serve-stale-data", "no");
        assertRiddenOut(
                "MASTERDOWN",
                () -> redis.server.command("REPLICAOF", "127.0.0.1", "1"),
                () -> redis.server.command("REPLICAOF", "NO", "ONE"));
    }

    @Test
    @Tag("deep")
    void aWaiterRidesOutAServerThatIsBusyWithAScript() throws Exception {
        redis.server.command("CONFIG", "SET", "busy-reply-threshold", "1");
        try (RespConnection other =
                new RespConnection("127.0.0.1", redis.server.port(), (int) Fixture.PATIENCE.toMillis())) {
            assertRiddenOut(
                    "BUSY",
                    () -> Fixture.start(() -> other.call("EVAL", "while true do end", "0")),
                    () -> redis.server.command("SCRIPT", "KILL"));
        }
    }

    @Test
    void aWaiterThatMayNotListenForReleasesAsksSoon() throws Exception {
        redis.server.command("ACL", "SETUSER", "default", "resetchannels");
        redis.holdElsewhere("unheard");
        DistributedLockFactory waiting =
                redis.factory(config -> config.option("wakeup", "pubsub").waitCeiling(Duration.ofHours(1)));
        FutureTask<Lease> waiter = Fixture.passing(waiting.getLock("unheard", Fixture.lease(LONG_LEASE)));
        await().atMost(Fixture.PATIENCE).until(() -> redis.server.commandStats().getOrDefault("evalsha", 0L) > 2);
        redis.server.command("DEL", Fixture.key("unheard"));
        assertGetsTheLock(waiter);
    }

    @Test
    void aServerThatIsNotThereIsReportedAtOnce() {
        redis.server.kill();
        DistributedLock lock = redis.factory().getLock("nobody");
        assertThatThrownBy(lock::lock).isInstanceOfSatisfying(LockBackendException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(e).hasMessageContaining("redis://127.0.0.1:" + redis.server.port());
        });
    }

    @Test
    void aKeyThatIsNoLockIsReportedAndLeftAlone() {
        redis.server.command("RPUSH", Fixture.key("squatted"), "something");
        DistributedLock lock = redis.factory().getLock("squatted");
        assertThatThrownBy(lock::lock).isInstanceOfSatisfying(LockBackendException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.REFUSED);
            assertThat(e).hasMessageContaining("WRONGTYPE");
        });
        assertThat(redis.server.command("LLEN", Fixture.key("squatted"))).isEqualTo(1L);
        assertThat(redis.server.command("KEYS", "*:fence")).isEqualTo(java.util.List.of());
    }

    @Test
    void closingTheFactoryFreesItsLocksAndFailsItsWaiters() throws Exception {
        DistributedLockFactory factory = redis.factory();
        DistributedLock lock = factory.getLock("closing", Fixture.lease(LONG_LEASE));
        lock.lock();
        redis.holdElsewhere("taken");
        FutureTask<Lease> waiter = Fixture.passing(factory.getLock("taken"));
        redis.awaitWaiters("taken", 1);
        factory.close();
        assertThat(redis.isTaken("closing")).isFalse();
        assertThatThrownBy(() -> assertGetsTheLock(waiter)).hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> factory.getLock("closing")).isInstanceOf(IllegalStateException.class);
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(redis.server.command("CLIENT", "LIST"))
                        .lines()
                        .allMatch(line -> line.contains("name=embedded-redis")));
    }
}
