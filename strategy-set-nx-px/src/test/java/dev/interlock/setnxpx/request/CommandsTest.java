// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands that are sent to the server, counted there. */
@Execution(ExecutionMode.CONCURRENT)
class CommandsTest extends OnChosenClients {
    @Test
    void anUncontendedPairIsTwoCommands() {
        DistributedLockFactory factory = redis.factory();
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock("pair");
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            lock.unlock();
            monitor.sync();
            assertThat(names(monitor)).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    @Test
    void anUncontendedPairThatCountsItsTokenIsThreePlainCommandsAndARelease() {
        DistributedLock lock = redis.factory().getLock("pair");
        try (CommandMonitor monitor = redis.server.monitor()) {
            Fixture.passCounting(lock);
            monitor.sync();
            assertThat(names(monitor)).containsSequence("SET", "INCRBY", "EXISTS", "EVALSHA");
        }
    }

    @Test
    void anUncontendedPairWithoutFencingIsAPlainSetAndARelease() {
        DistributedLockFactory factory = redis.factory(config -> config.option("fencing", "false"));
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock("pair");
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(lock.lease().orElseThrow().fencingToken()).isEmpty();
            lock.unlock();
            monitor.sync();
            assertThat(names(monitor)).containsExactly("SET", "EVALSHA");
            assertThat(monitor.commands().get(0)).contains("NX", "PX", "30000");
        }
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void reentryAndQueriesSendNothing() throws Exception {
        DistributedLockFactory factory = redis.factory();
        DistributedLock lock = factory.getLock("reentry");
        lock.lock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.lockInterruptibly();
            assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(lock.getHoldCount()).isEqualTo(5);
            Lease lease = lock.lease().orElseThrow();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isPositive();
            assertThat(lease.fencingToken()).isPresent();
            lease.ensureValid(Duration.ofSeconds(1));
            for (int i = 0; i < 4; i++) {
                lock.unlock();
            }
            monitor.sync();
            assertThat(monitor.commands()).isEmpty();
        }
        lock.unlock();
    }

    @Test
    void manyThreadsOfOneFactoryAreOneContender() throws Exception {
        DistributedLockFactory factory = redis.factory();
        Fixture.warmUp(factory);
        redis.holdElsewhere("crowd");
        DistributedLock lock = factory.getLock("crowd");
        try (CommandMonitor monitor = redis.server.monitor()) {
            List<FutureTask<Object>> waiters = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                waiters.add(Fixture.start(() -> {
                    lock.lockInterruptibly();
                    try {
                        lock.unlock();
                    } catch (LeaseLostException e) {
                        // A busy machine may not come to renew what was handed over.
                    }
                    return null;
                }));
            }
            redis.awaitWaiters("crowd", 1);
            monitor.clear();
            long from = System.nanoTime();
            await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
            monitor.sync();
            int commands = monitor.commands().size();
            double seconds = (System.nanoTime() - from) / 1e9;
            assertThat(commands).isPositive().isLessThanOrEqualTo((int) (2 * seconds));

            monitor.clear();
            redis.server.command("DEL", Fixture.key("crowd"));
            for (FutureTask<Object> waiter : waiters) {
                waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            monitor.sync();
            // 200 acquisitions, of which 17 in a row share a grant: two commands for each 17, and a few wake-ups.
            assertThat(monitor.commands()).hasSizeLessThan(100);
        }
    }

    @Tag("deep")
    @Test
    void nothingIsSentAfterTheLastUnlock() throws Exception {
        Fixture.warmUp(redis.factory());
        DistributedLockFactory factory = redis.factory(config -> config.commandTimeout(Duration.ofSeconds(5)));
        Fixture.warmUp(factory);
        Duration lease = Duration.ofSeconds(6);
        DistributedLock lock = factory.getLock("silence", Fixture.lease(lease));
        redis.holdElsewhere("taken");
        DistributedLock taken = factory.getLock("taken", Fixture.lease(lease));
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            lock.lock();
            await().atMost(Fixture.PATIENCE).until(() -> countIn(monitor, "EVALSHA") + countIn(monitor, "EVAL") >= 3);
            lock.unlock();
            lock.unlock();
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            FutureTask<Object> interrupted = Fixture.start(() -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(taken::lockInterruptibly).isInstanceOf(InterruptedException.class);
                return null;
            });
            interrupted.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(taken.tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
            AtomicReference<Thread> waiter = new AtomicReference<>();
            FutureTask<Object> waiting = Fixture.start(() -> {
                waiter.set(Thread.currentThread());
                assertThatThrownBy(taken::lockInterruptibly).isInstanceOf(InterruptedException.class);
                return null;
            });
            redis.awaitWaiters("taken", 1);
            waiter.get().interrupt();
            waiting.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            leaveAnOutcomeUnknown(factory, monitor);
            // A place is given up in the background.
            redis.awaitWaiters("taken", 0);
            monitor.sync();
            monitor.clear();
            await().during(lease).atMost(Fixture.PATIENCE).until(() -> {
                monitor.sync();
                return monitor.commands().isEmpty();
            });
        }
    }

    /** Returns when what may have been taken was given back, behind the request and twice in the background. */
    private void leaveAnOutcomeUnknown(DistributedLockFactory factory, CommandMonitor monitor) {
        redis.server.pause();
        assertThatThrownBy(factory.getLock("unknown")::tryLock)
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.OUTCOME_UNKNOWN));
        redis.server.resume();
        await().atMost(Fixture.PATIENCE).until(() -> releases(monitor, "unknown") >= 3 && !redis.isTaken("unknown"));
    }

    /** How many scripts have named the list of the lock, less the one that asked for it. */
    private static long releases(CommandMonitor monitor, String name) {
        monitor.sync();
        return monitor.commands().stream()
                        .filter(command -> command.contains(Fixture.key(name) + ":waiting"))
                        .count()
                - 1;
    }

    @Test
    @Tag("deep")
    void aThousandHeldLocksAreRenewedTogetherAndNoneIsLost() {
        DistributedLockFactory factory = redis.factory();
        Fixture.warmUp(factory);
        Duration lease = Duration.ofSeconds(9);
        LockOptions options = Fixture.lease(lease);
        List<Lease> leases = new ArrayList<>();
        List<Object> lost = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            DistributedLock lock = factory.getLock("held-" + i, options);
            lock.lock();
            Lease mine = lock.lease().orElseThrow();
            mine.onLoss(lost::add);
            leases.add(mine);
        }
        try (CommandMonitor monitor = redis.server.monitor()) {
            long from = System.nanoTime();
            await().pollDelay(lease.multipliedBy(2)).atMost(Fixture.PATIENCE).until(() -> true);
            monitor.sync();
            double seconds = (System.nanoTime() - from) / 1e9;
            int renewals = monitor.commands().size();
            // Four batches carry a thousand renewals; what was locked over a while is renewed in a few groups.
            assertThat(renewals).isPositive().isLessThan((int) (seconds * 12) + 12);
        }
        assertThat(leases).allMatch(Lease::isValid);
        assertThat(lost).isEmpty();
        for (int i = 0; i < 1_000; i++) {
            factory.getLock("held-" + i).unlock();
        }
        assertThat(redis.server.command("KEYS", "interlock:{*}")).isEqualTo(List.of());
    }

    private static int countIn(CommandMonitor monitor, String name) {
        return (int) names(monitor).stream().filter(name::equals).count();
    }

    private static List<String> names(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream()
                .map(command -> command.get(0).toUpperCase(java.util.Locale.ROOT))
                .toList();
    }
}
