// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockListener;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.environment.Environment;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine with real threads, the garbage collector and thread dumps. */
class LeakDetectorTest {
    private static final String NAME = "dropped";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A lease whose end a test waits for, and that is renewed in time even on a busy machine. */
    private static final Duration ENDS_SOON = Duration.ofSeconds(2);

    private final Environment env = Environment.system();
    private final InMemoryServer server = new InMemoryServer(env);
    private final Logger logger = Logger.getLogger("dev.interlock.engine");
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.setUseParentHandlers(false);
        logger.addHandler(log);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(log);
        logger.setUseParentHandlers(true);
    }

    private LockEngine engine(LockConfig config) {
        InMemoryProtocol protocol = new InMemoryProtocol(env, server);
        return (LockEngine) LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, env);
    }

    /** Leases that are renewed in time even on a busy machine. */
    private static LockConfig config() {
        return config(Duration.ofSeconds(30));
    }

    private static LockConfig config(Duration lease) {
        return LockConfig.builder()
                .endpoints("redis://localhost")
                .lockDefaults(LockOptions.builder().lease(lease).build())
                .build();
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - until).as("time is left").isNegative();
            System.gc();
            Thread.onSpinWait();
        }
    }

    /** Acquires a lock, and drops its handle. */
    private interface Drop {
        void acquire(DistributedLock lock, Runnable onLoss) throws InterruptedException;
    }

    /**
     * Drops a handle and waits for a line of the log. Drops another one if the lease of the first ended before it was
     * dropped: a machine that stands still does not renew it in time, and it is lost instead. Each lease is twice as
     * long as the one before.
     */
    private void dropUntilLogged(LockEngine engine, Drop drop, String line) {
        AtomicInteger drops = new AtomicInteger();
        AtomicBoolean lost = new AtomicBoolean(true);
        AtomicReference<Duration> lease = new AtomicReference<>(ENDS_SOON);
        await(() -> {
            if (logged.stream().anyMatch(entry -> entry.contains(line))) {
                return true;
            }
            if (lost.getAndSet(false)) {
                assertThat(drops.incrementAndGet())
                        .as("drops until \"" + line + "\"")
                        .isLessThanOrEqualTo(5);
                try {
                    Duration time = lease.getAndUpdate(last -> last.multipliedBy(2));
                    LockOptions options = LockOptions.builder().lease(time).build();
                    drop.acquire(engine.getLock(NAME, options), () -> lost.set(true));
                } catch (LockBackendException | CompletionException e) {
                    // The lease was over before its grant arrived.
                    lost.set(true);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return false;
        });
    }

    private static void acquireAndDrop(DistributedLock lock, Runnable onLoss) throws InterruptedException {
        LockHandle handle = lock.acquire();
        handle.onLoss(cause -> onLoss.run());
    }

    @Test
    void aHandleThatWasDroppedIsToldOfWithItsPlaceAndItsLockIsFreeAfterItsLease() {
        try (LockEngine engine = engine(config(ENDS_SOON))) {
            dropUntilLogged(engine, LeakDetectorTest::acquireAndDrop, "handle of lock \"" + NAME + "\" was dropped");
            assertThat(logged).anyMatch(line -> line.contains("LeakDetectorTest.acquireAndDrop"));
            await(() -> server.isFree(NAME));
        }
    }

    @Test
    void aHandleThatWasClosedIsNotToldOf() throws InterruptedException {
        try (LockEngine engine = engine(config())) {
            engine.getLock(NAME).acquire().close();
            acquireAndDrop(engine.getLock(NAME), () -> {});
            await(() -> !logged.isEmpty());
            assertThat(logged).hasSize(1);
        }
    }

    private static void acquireUnrenewedAndDrop(LockEngine engine, List<LossCause> causes) throws InterruptedException {
        LockOptions unrenewed = LockOptions.builder()
                .lease(Duration.ofSeconds(1))
                .renewal(false)
                .build();
        DistributedLock lock = engine.getLock(NAME, unrenewed);
        ShortLeases.granted(lock::acquire).onLoss(causes::add);
    }

    @Test
    void theLeaseOfADroppedHandleThatIsNotRenewedAnywayExpires() throws InterruptedException {
        List<LossCause> causes = new CopyOnWriteArrayList<>();
        try (LockEngine engine = engine(config())) {
            acquireUnrenewedAndDrop(engine, causes);
            await(() -> !causes.isEmpty());
            assertThat(causes).containsExactly(LossCause.EXPIRED);
        }
    }

    private void lockAndDropTheFactory() throws InterruptedException {
        DistributedLock lock = engine(config(ENDS_SOON)).getLock(NAME);
        ShortLeases.granted(Executors.callable(lock::lock));
    }

    @Test
    void aFactoryThatWasDroppedRenewsNothingAndIsClosed() throws InterruptedException {
        lockAndDropTheFactory();
        await(() -> logged.stream().anyMatch(line -> line.contains("factory of strategy \"memory\" was dropped")));
        assertThat(logged).anyMatch(line -> line.contains("It was made at "));
        await(() -> server.isFree(NAME));
        await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().endsWith("-close")));
    }

    @Test
    void aThreadDumpShowsWhoHoldsTheLockThatAThreadWaitsFor() throws InterruptedException {
        try (LockEngine engine = engine(config())) {
            DistributedLock lock = engine.getLock(NAME);
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch enough = new CountDownLatch(1);
            Thread holder = new Thread(
                    () -> {
                        lock.lock();
                        held.countDown();
                        try {
                            enough.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        lock.unlock();
                    },
                    "holder");
            holder.start();
            held.await();
            Thread waiter = new Thread(
                    () -> {
                        lock.lock();
                        lock.unlock();
                    },
                    "waiter");
            waiter.start();
            await(() -> {
                ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(waiter.getId());
                return info != null && "holder".equals(info.getLockOwnerName());
            });
            enough.countDown();
            holder.join();
            waiter.join();
        }
    }

    @Test
    void threadsAreMadeByTheFactoryOfTheUser() {
        List<Thread> made = new CopyOnWriteArrayList<>();
        LockConfig config = config().toBuilder()
                .threadFactory(task -> {
                    Thread thread = new Thread(task, "mine " + made.size());
                    thread.setDaemon(true);
                    made.add(thread);
                    return thread;
                })
                .build();
        try (LockEngine engine = engine(config)) {
            engine.getLock(NAME).lock();
            engine.getLock(NAME).unlock();
            assertThat(made).isNotEmpty();
        }
    }

    private InMemoryProtocol makeAndDropAFactory(LockConfig config) {
        InMemoryProtocol protocol = new InMemoryProtocol(env, server);
        LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, env);
        return protocol;
    }

    @Test
    void aDroppedFactoryIsClosedThoughNoThreadCouldBeHadForThatAtFirst() {
        AtomicInteger asked = new AtomicInteger();
        InMemoryProtocol protocol = makeAndDropAFactory(config().toBuilder()
                .threadFactory(task -> asked.incrementAndGet() < 3 ? null : new Thread(task))
                .build());
        await(() -> protocol.timesClosed() > 0);
        assertThat(asked).hasValue(3);
        assertThat(logged).anyMatch(line -> line.contains("no thread could be started that closes"));
    }

    @Test
    void closeIsBoundedThoughTheThreadFactoryOfTheUserBlocks() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        LockEngine engine = engine(config().toBuilder()
                .commandTimeout(Duration.ofMillis(200))
                .threadFactory(task -> {
                    entered.countDown();
                    try {
                        leave.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return new Thread(task);
                })
                .build());
        Thread locker = new Thread(engine.getLock(NAME)::lock);
        locker.setUncaughtExceptionHandler((thread, e) -> assertThat(e).isInstanceOf(IllegalStateException.class));
        locker.start();
        entered.await();
        Thread closer = new Thread(engine::close);
        closer.start();
        closer.join(PATIENCE.toMillis());
        boolean closed = !closer.isAlive();
        leave.countDown();
        closer.join();
        locker.join();
        assertThat(closed).as("close() returned while the factory blocked").isTrue();
    }

    @Test
    void theThreadFactoryOfTheUserIsCalledWithoutAnyMonitor() {
        List<MonitorInfo> monitors = new CopyOnWriteArrayList<>();
        LockConfig config = config().toBuilder()
                // The test waits for a renewal.
                .lockDefaults(LockOptions.builder().lease(Duration.ofSeconds(9)).build())
                .threadFactory(task -> {
                    ThreadInfo info = ManagementFactory.getThreadMXBean()
                            .getThreadInfo(new long[] {Thread.currentThread().getId()}, true, false)[0];
                    monitors.addAll(List.of(info.getLockedMonitors()));
                    return new Thread(task);
                })
                .build();
        try (LockEngine engine = engine(config)) {
            engine.getLock(NAME).lock();
            await(() -> ((InMemoryProtocol) engine.core().protocol()).calls(InMemoryProtocol.Verb.RENEW) > 0);
            engine.getLock(NAME).unlock();
        }
        assertThat(monitors).isEmpty();
    }

    private static List<String> monitorsOfThisThread() {
        long self = Thread.currentThread().getId();
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(new long[] {self}, true, true)[0];
        return Stream.of(info.getLockedMonitors()).map(Object::toString).toList();
    }

    @Test
    void aListenerIsToldOfNothingWithinTheMonitorOfACell() throws InterruptedException {
        List<String> monitors = new CopyOnWriteArrayList<>();
        AtomicBoolean wasAsked = new AtomicBoolean();
        LockConfig config = config().toBuilder()
                .listener(new LockListener() {})
                .threadFactory(task -> {
                    // Each event tries to start the thread of the listeners, and fails.
                    boolean forListeners = Stream.of(new Throwable().getStackTrace())
                            .anyMatch(frame -> frame.getClassName().endsWith(".Dispatcher"));
                    if (forListeners) {
                        wasAsked.set(true);
                        monitors.addAll(monitorsOfThisThread());
                        throw new OutOfMemoryError("planted");
                    }
                    Thread thread = new Thread(task, "mine");
                    thread.setDaemon(true);
                    return thread;
                })
                .build();
        InMemoryProtocol protocol = new InMemoryProtocol(env, server);
        try (LockEngine engine =
                (LockEngine) LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, env)) {
            // The first answer, then an outage that begins and ends.
            engine.getLock("other").lock();
            DistributedLock lock = engine.getLock(NAME);
            protocol.next(Verb.ATTEMPT, RequestFault.unreachable());
            try {
                lock.lock();
            } catch (LockBackendException e) {
                lock.lock();
            }
            Thread waiter = new Thread(() -> {
                lock.lock();
                lock.unlock();
            });
            waiter.start();
            await(() -> waiter.getState() == Thread.State.WAITING);
            lock.unlock();
            waiter.join();
            engine.getLock("other").unlock();
        }
        assertThat(wasAsked).isTrue();
        assertThat(monitors).isEmpty();
    }

    private static int acquireAtEachDepth(LockEngine engine) {
        try {
            engine.getLock(NAME).tryAcquire().ifPresent(LockHandle::close);
        } catch (LockBackendException | LeaseLostException e) {
            // The lease was over already, and the stack is to overflow all the same.
        }
        return 1 + acquireAtEachDepth(engine);
    }

    @Test
    @Tag("deep")
    void aStackOverflowLeavesNoLockThatNobodyCanGiveUp() throws InterruptedException {
        for (int i = 0; i < 30; i++) {
            long stackSize = 256 * 1024 + i * 16L;
            try (LockEngine engine = engine(config(Duration.ofMillis(500)))) {
                // The timer runs already, so that it is not started during the stack overflow.
                engine.getLock(NAME, LockOptions.builder().lease(PATIENCE).build())
                        .acquire()
                        .close();
                Thread deep = new Thread(
                        null,
                        () -> {
                            try {
                                acquireAtEachDepth(engine);
                            } catch (StackOverflowError e) {
                                // The error that the test causes.
                            }
                        },
                        "deep",
                        stackSize);
                deep.start();
                deep.join();
                await(() -> server.isFree(NAME));
            }
        }
    }

    private static void acquireAsyncAndDrop(DistributedLock lock, Runnable onLoss) {
        lock.acquireAsync().toCompletableFuture().join().onLoss(cause -> onLoss.run());
    }

    private static void tryAcquireAsyncAndDrop(DistributedLock lock, Runnable onLoss) {
        lock.tryAcquireAsync(PATIENCE)
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .onLoss(cause -> onLoss.run());
    }

    @Test
    void theLogOfADroppedHandleOfAnAsynchronousAcquisitionNamesThePlaceOfTheCall() {
        try (LockEngine engine = engine(config(ENDS_SOON))) {
            dropUntilLogged(engine, LeakDetectorTest::acquireAsyncAndDrop, "LeakDetectorTest.acquireAsyncAndDrop");
            await(() -> server.isFree(NAME));
            dropUntilLogged(
                    engine, LeakDetectorTest::tryAcquireAsyncAndDrop, "LeakDetectorTest.tryAcquireAsyncAndDrop");
        }
    }
}
