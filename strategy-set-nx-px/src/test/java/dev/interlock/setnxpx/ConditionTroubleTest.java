// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.setnxpx.intercept.InterposedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads that wait for a condition while replies are lost, factories are closed, and other threads of their client
 * want the lock.
 */
class ConditionTroubleTest {
    private static final String NAME = "troubled";
    private static final String KEY = Fixture.key(NAME);
    private static final Duration LEASE = Duration.ofMinutes(5);

    private Fixture redis;
    private InterposedNode node;
    private DistributedLockFactory one;
    private final AtomicInteger queued = new AtomicInteger();

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
        open("true");
    }

    private void open(String fencing) {
        LockConfig config = LockConfig.builder()
                .endpoints(redis.server.uri())
                .commandTimeout(Fixture.PATIENCE)
                .option("card", "false")
                .option("fencing", fencing)
                .listener(new LockListener() {
                    @Override
                    public void queueChanged(QueueChanged event) {
                        queued.set(event.length());
                    }
                })
                .build();
        node = new InterposedNode(
                RedisNodes.interlock(RedisEndpoint.of(config.endpoints().get(0)), config, Environment.system()));
        one = SetNxPxProtocol.newFactory(node, Settings.of(config), config, Environment.system());
    }

    @AfterEach
    void stop() {
        node.isDown = false;
        one.close();
        redis.close();
    }

    private DistributedLock lock() {
        return one.getLock(NAME, Fixture.lease(LEASE));
    }

    /** A lock of a client whose requests nobody counts or disturbs. */
    private DistributedLock lockOfAnotherClient() {
        return redis.factory().getLock(NAME, Fixture.lease(LEASE));
    }

    /** Starts a thread that waits for the condition, and returns when it waits. */
    private FutureTask<Boolean> waiting(DistributedLock lock, Runnable whenWoken) {
        long before = size(":condition:1");
        Condition condition = lock.condition("1");
        FutureTask<Boolean> waiter = Fixture.start(() -> {
            lock.lock();
            try {
                condition.await();
                whenWoken.run();
                return true;
            } finally {
                lock.unlock();
            }
        });
        await().atMost(Fixture.PATIENCE).until(() -> size(":condition:1") == before + 1);
        return waiter;
    }

    private FutureTask<Boolean> waiting(DistributedLock lock) {
        return waiting(lock, () -> {});
    }

    private long size(String suffix) {
        String key = KEY + suffix.replace(":1", ":" + LockKeys.encode(":1"));
        return (Long) redis.server.command("ZCARD", key);
    }

    /** Makes the waiters that listen ask the server for their state. */
    private void stir() {
        redis.server.command("CLIENT", "KILL", "TYPE", "pubsub");
    }

    private static void assertWoken(FutureTask<Boolean> waiter) throws Exception {
        assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aSignalByAThreadThatHasLostTheLockAsPartOfSeveralTellsOfTheLoss() throws Exception {
        FutureTask<Boolean> waiter = waiting(lockOfAnotherClient());
        DistributedLock both = one.getLock(List.of(NAME, "another"), Fixture.lease(LEASE));
        Condition condition = lock().condition("1");
        both.lock();
        redis.server.command("SET", KEY, "somebody else");
        assertThatThrownBy(condition::signal)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lockName()).isEqualTo(NAME));
        assertThat(size(":condition:1")).as("waiters").isEqualTo(1);
        assertThatThrownBy(both::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lockName()).isEqualTo(both.name()));
        redis.server.command("DEL", KEY);
        lock().lock();
        condition.signal();
        lock().unlock();
        assertWoken(waiter);
    }

    @Test
    void aSignalGoesOnIfItsGrantWasNotAnsweredAndTheFactoryIsClosed() throws Exception {
        DistributedLock other = lockOfAnotherClient();
        FutureTask<Boolean> first = waiting(lock());
        FutureTask<Boolean> second = waiting(other);
        node.isDeaf = true;
        List<FutureTask<Void>> closing = new ArrayList<>();
        LockScripts scripts = LockScripts.of(LockWire.INTERLOCK, false);
        node.answer = (command, reply) -> {
            if (command.isScript()
                    && command.arguments().get(0).equals(scripts.acquire().sha1())) {
                closing.add(Fixture.start(() -> {
                    one.close();
                    return null;
                }));
                await().atMost(Fixture.PATIENCE).until(ConditionTroubleTest.this::isClosed);
                throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the test has lost the reply");
            }
            return reply;
        };
        // Waits until the background has released the lock.
        node.before(scripts.leave(), () -> await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken(NAME)));
        other.lock();
        other.condition("1").signal();
        other.unlock();
        stir();
        assertThatThrownBy(() -> first.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("closed");
        assertWoken(second);
        closing.get(0).get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private boolean isClosed() {
        try {
            one.getLock("any").isLocked();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void aSignalGoesOnIfTheFactoryOfWhoeverHoldsTheLockByItIsClosed() throws Exception {
        DistributedLock other = lockOfAnotherClient();
        FutureTask<Boolean> first = waiting(lock(), one::close);
        FutureTask<Boolean> second = waiting(other);
        other.lock();
        other.condition("1").signal();
        other.unlock();
        assertThatThrownBy(() -> first.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
        stir();
        assertWoken(second);
    }

    @Test
    void aSignalHasArrivedWhenItsWaiterUnlocks() throws Exception {
        DistributedLock other = lockOfAnotherClient();
        FutureTask<Boolean> first = waiting(lock());
        other.lock();
        other.condition("1").signal();
        assertThat(size(":signals:1")).isEqualTo(1);
        other.unlock();
        assertWoken(first);
        assertThat(size(":signals:1")).isZero();
    }

    @Test
    @Tag("deep")
    void whoeverHasLeftInAnOutageLeavesTheConditionWhenTheServerIsBack() {
        DistributedLock lock = one.getLock(NAME, Fixture.lease(Duration.ofSeconds(2)));
        FutureTask<Boolean> waiter = waiting(lock);
        node.isDown = true;
        stir();
        assertThatThrownBy(() -> waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
        assertThat(size(":condition:1")).isEqualTo(1);
        node.isDown = false;
        await().atMost(Fixture.PATIENCE).until(() -> size(":condition:1") == 0);
    }

    /** A thread that waits is granted the lock while another one of its client asks for it, which has come later. */
    private void assertTheGrantIsThatOfTheWaiter(DistributedLock lockOfWaiter, DistributedLock lockOfAsker)
            throws Exception {
        DistributedLock other = lockOfAnotherClient();
        List<String> order = new CopyOnWriteArrayList<>();
        FutureTask<Boolean> waiter = waiting(lockOfWaiter, () -> order.add("waiter"));
        other.lock();
        other.condition("1").signal();
        FutureTask<Boolean> asker = Fixture.start(() -> {
            lockOfAsker.lock();
            order.add("asker");
            lockOfAsker.unlock();
            return true;
        });
        redis.awaitWaiters(NAME, 2);
        other.unlock();
        assertWoken(waiter);
        assertWoken(asker);
        assertThat(order).containsExactly("waiter", "asker");
        assertThat(size(":signals:1")).isZero();
        assertThat(size(":waiting")).isZero();
        assertThat(node.sent)
                .as("its own release has confirmed the signal")
                .doesNotContain(
                        LockScripts.of(LockWire.INTERLOCK, false).adopt().sha1());
    }

    @Test
    void aGrantOfAThreadThatWaitsIsNotTakenByAnotherOneOfItsClient() throws Exception {
        assertTheGrantIsThatOfTheWaiter(lock(), lock());
    }

    @Test
    void aGrantOfAThreadThatWaitsIsItsOwnWhereThoseOfItsClientLockWithDifferentOptions() throws Exception {
        assertTheGrantIsThatOfTheWaiter(lock(), lock().withLease(LEASE.multipliedBy(2)));
    }

    @Test
    void whoeverHasGivenWayAndGivesUpLeavesNoPlace() throws Exception {
        DistributedLock other = lockOfAnotherClient();
        DistributedLock lock = lock();
        DistributedLock asking = lock();
        AtomicReference<FutureTask<Boolean>> asker = new AtomicReference<>();
        AtomicBoolean looked = new AtomicBoolean();
        FutureTask<Boolean> waiter = waiting(lock, () -> {
            try {
                assertThat(asker.get().get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isFalse();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            assertThat(size(":waiting")).isZero();
            looked.set(true);
        });
        other.lock();
        other.condition("1").signal();
        await().atMost(Fixture.PATIENCE).until(() -> {
            // A busy machine may not look before it has given up.
            if (asker.get() == null || asker.get().isDone()) {
                asker.set(Fixture.start(() -> asking.tryLock(1, TimeUnit.SECONDS)));
            }
            return redis.waiters(NAME) == 2;
        });
        other.unlock();
        try {
            assertWoken(waiter);
        } catch (ExecutionException e) {
            // It was granted the lock for two seconds, in which a busy machine may not come to renew it.
            assertThat(e).hasCauseInstanceOf(LeaseLostException.class);
        }
        assertThat(looked).isTrue();
    }

    @Test
    void aSignalledThreadThatIsHandedTheLockByAnotherOneOfItsClientSendsOneRequest() throws Exception {
        one.close();
        // A grant with one token is handed over once, and the first holder has it.
        open("false");
        DistributedLock lock = lock();
        FutureTask<Boolean> waiter = waiting(
                lock,
                () -> assertThat(size(":signals:1"))
                        .as("the signal is kept until the lock is released")
                        .isEqualTo(1));
        lock.lock();
        lock.condition("1").signal();
        stir();
        await().atMost(Fixture.PATIENCE).until(() -> queued.get() == 1);
        node.sent.clear();
        lock.unlock();
        assertWoken(waiter);
        assertThat(node.sent)
                .as("behind it comes what frees the lock")
                .startsWith(LockScripts.of(LockWire.INTERLOCK, false).adopt().sha1())
                .hasSizeLessThanOrEqualTo(2);
        assertThat(size(":signals:1")).isZero();
        assertThat(size(":waiting")).isZero();
    }

    @Test
    void aSignalHasArrivedAlsoWhereALockOverSeveralNamesWasHandedToItsWaiter() throws Exception {
        one.close();
        open("false");
        DistributedLock lock = lock();
        FutureTask<Boolean> waiter = waiting(lock);
        DistributedLock several = one.getLock(List.of(NAME, "another"), Fixture.lease(LEASE));
        several.lock();
        lock.condition("1").signal();
        stir();
        await().atMost(Fixture.PATIENCE).until(() -> queued.get() == 1);
        several.unlock();
        assertWoken(waiter);
        assertThat(size(":signals:1")).isZero();
        assertThat(size(":waiting")).isZero();
    }

    @Test
    @Tag("deep")
    void manyThreadsOfOneClientAreWokenByOneSignal() throws Exception {
        int threads = Integer.getInteger("interlock.condition.waiters", 200);
        DistributedLock lock = lock();
        Condition condition = lock.condition("1");
        AtomicInteger woken = new AtomicInteger();
        List<FutureTask<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            waiters.add(Fixture.start(() -> {
                lock.lock();
                try {
                    condition.await();
                    woken.incrementAndGet();
                    lock.unlock();
                } catch (LeaseLostException e) {
                    // A busy machine may not come to renew what was handed over.
                }
                return null;
            }));
        }
        await().atMost(Fixture.PATIENCE.multipliedBy(5)).until(() -> size(":condition:1") == threads);
        DistributedLock other = lockOfAnotherClient();
        node.sent.clear();
        long startNanos = System.nanoTime();
        other.lock();
        other.condition("1").signalAll();
        other.unlock();
        for (FutureTask<Void> waiter : waiters) {
            waiter.get(Fixture.PATIENCE.multipliedBy(5).toSeconds(), TimeUnit.SECONDS);
        }
        System.out.println(threads + " threads of one client were woken in "
                + Duration.ofNanos(System.nanoTime() - startNanos) + " with " + node.sent.size() + " requests");
        assertThat(woken).hasValue(threads);
        assertThat(node.sent.size()).as("requests for " + threads).isLessThan(20 * threads);
    }
}
