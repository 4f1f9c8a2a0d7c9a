// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import static dev.interlock.conformance.wrong.WrongTimedWaits.spoilt;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.conformance.memory.FairLock;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongTimedWaits.Queues;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

final class WrongWaiting {
    private static final Duration POLL = Duration.ofMillis(1);

    private WrongWaiting() {}

    static List<WrongLock> locks() {
        return List.of(
                aClosedHandleKeepsTheLock(),
                nobodyListensThoughItIsPromised(),
                listeningBeginsUnnoticed(),
                theQueueIsTooShort(),
                aWaiterThatLostTheRaceIsNotToldAgain(),
                theLastToComeIsServedFirst(),
                lockOvertakesThoseWhoWait(),
                tryLockOvertakesThoseWhoWait(),
                aMessageIsTakenForAGrant(),
                aStrayWakeUpIsTakenForAGrant(),
                aStrayWakeUpEndsATimedWait(),
                aStrayWakeUpRestartsATimedWait(),
                theServerKeepsTheLockForAWaiterThatGaveUp(),
                localHandOffsGoOnAndOn(),
                allNamesShareOneQueue(),
                eachWaiterUsesAConnectionOfThePool(),
                aLostLeaseKeepsItsPlaceInTheQueue(),
                waitersSpin(),
                aDroppedSubscriptionIsNotTakenUpAgain(),
                aReleaseDuringADroppedSubscriptionIsMissed(),
                cutConnectionsEndAWait(),
                aLostMessageCostsALease(),
                theLastClientToComeIsServedFirst(),
                aWaiterThatIsGoneKeepsItsPlace());
    }

    private static WrongLock theLastClientToComeIsServedFirst() {
        return new FairLock("theLastClientToComeIsServedFirst", "8.23", "8.24") {
            @Override
            protected MemoryServer server() {
                return new Server() {
                    @Override
                    protected Claim next(Deque<Claim> queue) {
                        return queue.pollLast();
                    }
                };
            }
        };
    }

    private static WrongLock aWaiterThatIsGoneKeepsItsPlace() {
        return new FairLock("aWaiterThatIsGoneKeepsItsPlace", "8.12", "8.24") {
            @Override
            protected MemoryServer server() {
                return new Server() {
                    @Override
                    protected Release release(Claim claim) {
                        return lossOf(claim).<Release>map(Release.Lost::new).orElseGet(() -> super.release(claim));
                    }

                    @Override
                    protected Claim handOver(Claim claim) {
                        return claim;
                    }
                };
            }
        };
    }

    private static LockConfig withoutPolling(LockConfig config) {
        return config.toBuilder().waitCeiling(Duration.ofHours(1)).build();
    }

    private static WrongLock aClosedHandleKeepsTheLock() {
        return spoilt(
                "aClosedHandleKeepsTheLock",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    protected LockHandle spoil(LockHandle handle) {
                        return new ForwardingHandle(handle) {
                            @Override
                            public void close() {}
                        };
                    }
                },
                "5.10",
                "5.12",
                "5.13",
                "5.23",
                "8.1",
                "8.2",
                "8.6",
                "8.10");
    }

    private static WrongLock nobodyListensThoughItIsPromised() {
        return new WrongLock("nobodyListensThoughItIsPromised", "8.2", "8.3", "8.5", "8.9", "8.12", "8.15", "8.20") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new Deaf(server, config);
            }
        };
    }

    private static class Deaf extends MemoryProtocol {
        Deaf(MemoryServer server, LockConfig config) {
            super(server, config.commandTimeout());
        }

        @Override
        public Watch watch(String name, Runnable onFreed) {
            // Watch.NONE would tell the engine that nobody listens.
            return () -> {};
        }
    }

    /** A protocol that listens in its own way. */
    private abstract static class Listening extends MemoryProtocol {
        private final MemoryServer server;

        Listening(MemoryServer server, LockConfig config) {
            super(server, config.commandTimeout());
            this.server = server;
        }

        @Override
        public final Watch watch(String name, Runnable onFreed) {
            MemoryServer.Listener listener = new MemoryServer.Listener() {
                private final long sinceNanos = System.nanoTime();

                @Override
                public String name() {
                    return name;
                }

                @Override
                public void freed() {
                    heard(name, System.nanoTime() - sinceNanos, onFreed);
                }

                @Override
                public void connectionLost() {
                    lost(server, this, onFreed);
                }
            };
            server.listen(listener);
            begun(onFreed);
            return () -> server.unlisten(listener);
        }

        void begun(Runnable onFreed) {
            onFreed.run();
        }

        void heard(String name, long nanosSinceBegin, Runnable onFreed) {
            onFreed.run();
        }

        void lost(MemoryServer server, MemoryServer.Listener listener, Runnable onFreed) {
            server.listen(listener);
            onFreed.run();
        }
    }

    private static WrongLock listeningBeginsUnnoticed() {
        return new WrongLock("listeningBeginsUnnoticed", "8.3") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new Listening(server, config) {
                    @Override
                    void begun(Runnable onFreed) {}

                    @Override
                    void heard(String name, long nanosSinceBegin, Runnable onFreed) {
                        // The subscription reaches the server this much later.
                        if (nanosSinceBegin > TimeUnit.MILLISECONDS.toNanos(5)) {
                            onFreed.run();
                        }
                    }
                };
            }
        };
    }

    private static WrongLock aWaiterThatLostTheRaceIsNotToldAgain() {
        return new WrongLock("aWaiterThatLostTheRaceIsNotToldAgain", "8.5", "8.9", "8.20") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new MemoryProtocol(server, config.commandTimeout()) {
                    @Override
                    public Watch watch(String name, Runnable onFreed) {
                        AtomicInteger told = new AtomicInteger();
                        return super.watch(name, () -> {
                            // The first message says that listening has begun.
                            if (told.incrementAndGet() <= 2) {
                                onFreed.run();
                            }
                        });
                    }
                };
            }
        };
    }

    private static WrongLock aDroppedSubscriptionIsNotTakenUpAgain() {
        return new WrongLock("aDroppedSubscriptionIsNotTakenUpAgain", "8.20") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new Listening(server, config) {
                    @Override
                    void lost(MemoryServer server, MemoryServer.Listener listener, Runnable onFreed) {}
                };
            }
        };
    }

    private static WrongLock aReleaseDuringADroppedSubscriptionIsMissed() {
        return new WrongLock("aReleaseDuringADroppedSubscriptionIsMissed", "8.20") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new Listening(server, config) {
                    @Override
                    void lost(MemoryServer server, MemoryServer.Listener listener, Runnable onFreed) {
                        server.listen(new ListensAfterARelease(server, listener));
                    }
                };
            }
        };
    }

    /** Misses the next release, however late it comes, and lets another one listen after it. */
    private record ListensAfterARelease(MemoryServer server, MemoryServer.Listener next)
            implements MemoryServer.Listener {
        @Override
        public String name() {
            return next.name();
        }

        @Override
        public void freed() {
            server.unlisten(this);
            server.listen(next);
        }

        @Override
        public void connectionLost() {
            server.listen(this);
        }
    }

    private static WrongLock cutConnectionsEndAWait() {
        return new WrongLock("cutConnectionsEndAWait", "8.20", "8.21") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                AtomicBoolean cut = new AtomicBoolean();
                return new Listening(server, config) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        return cut.getAndSet(false)
                                ? new Attempt.Failed(
                                        new LockBackendException(Reason.REFUSED, "the connection was closed"))
                                : super.attempt(claim);
                    }

                    @Override
                    void lost(MemoryServer server, MemoryServer.Listener listener, Runnable onFreed) {
                        cut.set(true);
                        super.lost(server, listener, onFreed);
                    }
                };
            }
        };
    }

    private static WrongLock aLostMessageCostsALease() {
        return new WrongLock("aLostMessageCostsALease", "8.22") {
            @Override
            protected LockConfig config(LockConfig config) {
                return withoutPolling(config);
            }
        };
    }

    private static WrongLock theQueueIsTooShort() {
        return spoilt(
                "theQueueIsTooShort",
                () -> {
                    Semaphore places = new Semaphore(6);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (!places.tryAcquire()) {
                                throw new IllegalStateException("too many threads wait");
                            }
                            try {
                                correct.lock();
                            } finally {
                                places.release();
                            }
                        }
                    };
                },
                "8.4",
                "8.15",
                "8.19");
    }

    private static WrongLock theLastToComeIsServedFirst() {
        return spoilt(
                "theLastToComeIsServedFirst",
                () -> {
                    Map<String, Deque<Thread>> stacks = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (correct.tryLock()) {
                                return;
                            }
                            Thread me = Thread.currentThread();
                            Deque<Thread> stack = stacks.computeIfAbsent(name(), name -> new ConcurrentLinkedDeque<>());
                            stack.push(me);
                            try {
                                repeat(() -> {
                                    LockSupport.parkNanos(POLL.toNanos());
                                    return me.equals(stack.peek()) && correct.tryLock();
                                });
                            } finally {
                                stack.remove(me);
                            }
                        }
                    };
                },
                "8.6",
                "8.7",
                "8.8");
    }

    /** Waits by asking again and again, in a queue of the client's own. */
    private static class Polling extends ForwardingLock {
        private final Queues queues;

        Polling(DistributedLock correct, Queues queues) {
            super(correct);
            this.queues = queues;
        }

        @Override
        public void lock() {
            if (isHeldByCurrentThread()) {
                correct.lock();
                return;
            }
            ReentrantLock queue = queues.of(this);
            queue.lock();
            try {
                repeat(() -> {
                    boolean granted = correct.tryLock();
                    if (!granted) {
                        LockSupport.parkNanos(POLL.toNanos());
                    }
                    return granted;
                });
            } finally {
                queue.unlock();
            }
        }
    }

    private static WrongLock lockOvertakesThoseWhoWait() {
        return spoilt(
                "lockOvertakesThoseWhoWait",
                () -> {
                    Queues queues = new Queues();
                    return lock -> new Polling(lock, queues) {
                        @Override
                        public void lock() {
                            if (!correct.tryLock()) {
                                super.lock();
                            }
                        }
                    };
                },
                "8.6",
                "8.7",
                "8.8");
    }

    private static WrongLock tryLockOvertakesThoseWhoWait() {
        return spoilt(
                "tryLockOvertakesThoseWhoWait",
                () -> {
                    Queues queues = new Queues();
                    return lock -> new Polling(lock, queues);
                },
                "8.6",
                "8.8",
                "8.41");
    }

    private static WrongLock aMessageIsTakenForAGrant() {
        return new WrongLock("aMessageIsTakenForAGrant", "8.5", "8.9") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                Set<String> told = ConcurrentHashMap.newKeySet();
                return new Listening(server, config) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        boolean wasTold = told.remove(claim.name());
                        Attempt attempt = super.attempt(claim);
                        return attempt instanceof Attempt.Refused && wasTold
                                ? new Attempt.Granted(claim.lease(), OptionalLong.of(1))
                                : attempt;
                    }

                    @Override
                    public Release release(Claim claim) {
                        Release release = super.release(claim);
                        told.remove(claim.name());
                        return release;
                    }

                    @Override
                    void heard(String name, long nanosSinceBegin, Runnable onFreed) {
                        told.add(name);
                        onFreed.run();
                    }
                };
            }
        };
    }

    private static WrongLock aStrayWakeUpIsTakenForAGrant() {
        return spoilt(
                "aStrayWakeUpIsTakenForAGrant",
                () -> {
                    Queues queues = new Queues();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            // A lock over several names waits for each of them in turn, so not by trying for all.
                            if (names().size() > 1 || correct.isHeldByCurrentThread()) {
                                correct.lock();
                                return;
                            }
                            ReentrantLock queue = queues.of(lock);
                            queue.lock();
                            try {
                                if (!correct.tryLock()) {
                                    repeat(() -> wokenEarly(POLL) || correct.tryLock());
                                }
                            } finally {
                                queue.unlock();
                            }
                        }
                    };
                },
                "2.32",
                "2.36",
                "2.37",
                "2.38",
                "2.39",
                "2.40",
                "8.6",
                "8.8",
                "8.10",
                "8.41",
                "9.16",
                "10.18");
    }

    /** Returns whether a short sleep ends before its time, and not by an interrupt. */
    private static boolean wokenEarly(Duration sleep) {
        long start = System.nanoTime();
        LockSupport.parkNanos(sleep.toNanos());
        return System.nanoTime() - start < sleep.toNanos()
                && !Thread.currentThread().isInterrupted();
    }

    /**
     * Repeats an attempt that sleeps, until it succeeds. An interrupt is kept to the end: while its status is set, a
     * thread does not sleep, and would take a processor from the other rules.
     */
    private static void repeat(BooleanSupplier attempt) {
        boolean interrupted = false;
        try {
            do {
                if (Thread.interrupted()) {
                    interrupted = true;
                    // Takes the wake-up that came with the interrupt.
                    LockSupport.parkNanos(1);
                }
            } while (!attempt.getAsBoolean());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static WrongLock aStrayWakeUpEndsATimedWait() {
        return spoilt("aStrayWakeUpEndsATimedWait", () -> lock -> new Wakeable(lock, false), "8.6", "8.11");
    }

    private static WrongLock aStrayWakeUpRestartsATimedWait() {
        return spoilt("aStrayWakeUpRestartsATimedWait", () -> lock -> new Wakeable(lock, true), "8.11");
    }

    /** Asks again and again in a timed wait, and lets a wake-up change its time. */
    private static final class Wakeable extends ForwardingLock {
        private final boolean restarts;

        Wakeable(DistributedLock correct, boolean restarts) {
            super(correct);
            this.restarts = restarts;
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            long nanos = Math.min(unit.toNanos(time), TimeUnit.DAYS.toNanos(1));
            long start = System.nanoTime();
            while (!correct.tryLock(0, unit)) {
                if (System.nanoTime() - start >= nanos) {
                    return false;
                }
                if (wokenEarly(Duration.ofMillis(10))) {
                    if (!restarts) {
                        return false;
                    }
                    start = System.nanoTime();
                }
            }
            return true;
        }
    }

    /** Keeps a list of waiters, and reserves a freed lock for the first of them. */
    private static final class ListKeeper extends MemoryServer {
        private final Map<String, List<Object>> waiting = new HashMap<>();

        Attempt attempt(Claim claim, Object client) {
            List<Object> list = waiting.computeIfAbsent(claim.name(), name -> new ArrayList<>());
            boolean first = list.isEmpty() || list.get(0).equals(client);
            Attempt attempt = first ? super.attempt(claim) : new Attempt.Refused(Optional.empty());
            if (attempt instanceof Attempt.Granted) {
                list.remove(client);
            }
            return attempt;
        }

        void waits(String name, Object client) {
            waiting.computeIfAbsent(name, it -> new ArrayList<>()).add(client);
        }
    }

    private static WrongLock theServerKeepsTheLockForAWaiterThatGaveUp() {
        return new WrongLock("theServerKeepsTheLockForAWaiterThatGaveUp", "5.21", "8.12") {
            @Override
            protected MemoryServer server() {
                return new ListKeeper();
            }

            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                ListKeeper keeper = (ListKeeper) server;
                return new MemoryProtocol(server, config.commandTimeout()) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        try {
                            return keeper.request(config.commandTimeout(), () -> keeper.attempt(claim, this));
                        } catch (LockBackendException e) {
                            return new Attempt.Failed(e);
                        }
                    }

                    @Override
                    public Watch watch(String name, Runnable onFreed) {
                        keeper.request(config.commandTimeout(), () -> {
                            keeper.waits(name, this);
                            return true;
                        });
                        return super.watch(name, onFreed);
                    }
                };
            }
        };
    }

    /** Keeps a lock that was freed for the client that freed it, in case that client wants it again. */
    private static final class LoyalServer extends MemoryServer {
        private static final long LOYALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

        private record Last(Object client, long freedNanos) {}

        private final Map<String, Last> last = new HashMap<>();

        Attempt attempt(Claim claim, Object client) {
            Last freed = last.get(claim.name());
            boolean kept = freed != null
                    && !freed.client().equals(client)
                    && System.nanoTime() - freed.freedNanos() < LOYALTY_NANOS;
            return kept ? new Attempt.Refused(Optional.empty()) : super.attempt(claim);
        }

        Release release(Claim claim, Object client) {
            last.put(claim.name(), new Last(client, System.nanoTime()));
            return super.release(claim);
        }
    }

    private static WrongLock localHandOffsGoOnAndOn() {
        return new WrongLock("localHandOffsGoOnAndOn", "8.13") {
            /** Or a busy machine would empty the queue of the client now and then, and let another client in. */
            @Override
            protected MemoryServer server() {
                return new LoyalServer();
            }

            @Override
            protected LockConfig config(LockConfig config) {
                return config.toBuilder().localHandoffs(10_000).build();
            }

            /** Without tokens to reserve, nothing else bounds the hand-offs. */
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                LoyalServer loyal = (LoyalServer) server;
                return new MemoryProtocol(server, config.commandTimeout()) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        Attempt attempt = loyal.request(config.commandTimeout(), () -> loyal.attempt(claim, this));
                        return attempt instanceof Attempt.Granted granted
                                ? new Attempt.Granted(granted.validity(), OptionalLong.empty())
                                : attempt;
                    }

                    @Override
                    public Release release(Claim claim) {
                        return loyal.request(config.commandTimeout(), () -> loyal.release(claim, this));
                    }
                };
            }
        };
    }

    private static WrongLock allNamesShareOneQueue() {
        return spoilt(
                "allNamesShareOneQueue",
                () -> {
                    ReentrantLock queue = new ReentrantLock(true);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (correct.isHeldByCurrentThread()) {
                                correct.lock();
                                return;
                            }
                            queue.lock();
                            try {
                                correct.lock();
                            } finally {
                                queue.unlock();
                            }
                        }
                    };
                },
                "8.6",
                "8.14",
                "8.15",
                "8.19");
    }

    private static WrongLock eachWaiterUsesAConnectionOfThePool() {
        return spoilt(
                "eachWaiterUsesAConnectionOfThePool",
                () -> {
                    Semaphore connections = new Semaphore(10);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            connections.acquireUninterruptibly();
                            try {
                                correct.lock();
                            } finally {
                                connections.release();
                            }
                        }
                    };
                },
                "8.15");
    }

    private static WrongLock aLostLeaseKeepsItsPlaceInTheQueue() {
        return spoilt(
                "aLostLeaseKeepsItsPlaceInTheQueue",
                () -> {
                    Map<String, Semaphore> places = new ConcurrentHashMap<>();
                    Set<Thread> inside = ConcurrentHashMap.newKeySet();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (!correct.isHeldByCurrentThread()) {
                                place().acquireUninterruptibly();
                                inside.add(Thread.currentThread());
                            }
                            correct.lock();
                        }

                        @Override
                        public void unlock() {
                            try {
                                correct.unlock();
                            } finally {
                                if (!correct.isHeldByCurrentThread() && inside.remove(Thread.currentThread())) {
                                    place().release();
                                }
                            }
                        }

                        @Override
                        public boolean tryLock() {
                            boolean nobodyWaits = place().availablePermits() > 0 && !place().hasQueuedThreads();
                            return (nobodyWaits || correct.isHeldByCurrentThread()) && correct.tryLock();
                        }

                        private Semaphore place() {
                            return places.computeIfAbsent(name(), name -> new Semaphore(1, true));
                        }
                    };
                },
                "8.6",
                "8.17");
    }

    private static WrongLock waitersSpin() {
        return new WrongLock("waitersSpin", "8.18", "8.19") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new SpinningFactory(correct);
            }
        };
    }

    /** The spinning threads of a name, in the order of their numbers. */
    private static final class Spinners {
        private final AtomicLong issued = new AtomicLong();
        private final AtomicLong served = new AtomicLong();
    }

    private static final class SpinningFactory extends ForwardingFactory {
        private final Map<String, Spinners> spinners = new ConcurrentHashMap<>();
        private volatile boolean closed;

        SpinningFactory(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        protected DistributedLock spoil(DistributedLock lock) {
            Spinners here = spinners.computeIfAbsent(lock.name(), name -> new Spinners());
            return new ForwardingLock(lock) {
                @Override
                public void lock() {
                    if (correct.isHeldByCurrentThread()) {
                        correct.lock();
                        return;
                    }
                    long mine = here.issued.getAndIncrement();
                    while (here.served.get() != mine || !correct.tryLock()) {
                        if (closed) {
                            throw new IllegalStateException("closed");
                        }
                        Thread.onSpinWait();
                    }
                    here.served.incrementAndGet();
                }

                @Override
                public boolean tryLock() {
                    boolean nobodyWaits = here.served.get() == here.issued.get();
                    return (nobodyWaits || correct.isHeldByCurrentThread()) && correct.tryLock();
                }
            };
        }

        @Override
        public void close() {
            closed = true;
            super.close();
        }
    }
}
