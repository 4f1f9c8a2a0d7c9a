// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

public final class WrongTimedWaits {
    private WrongTimedWaits() {}

    static List<WrongLock> locks() {
        return List.of(
                tryLockWaits(),
                timedTryLockTriesOnce(),
                timedTryLockGivesUpEarly(),
                timedTryLockSpendsItsWaitTwice(),
                timedTryLockTakesAnyUnitForMilliseconds(),
                timedTryLockTakesZeroForEver(),
                timedTryLockTakesZeroForFailure(),
                timedTryLockOverflows(),
                timedTryLockRoundsItsTimeDownToNothing(),
                tryAcquireTriesOnce(),
                tryAcquireSpendsItsWaitTwice(),
                tryAcquireTakesZeroForEver(),
                tryAcquireWithoutATimeWaits(),
                tryAcquireOverflows(),
                aMissingUnitMeansMilliseconds(),
                theTimeBeginsAgainAtTheHeadOfTheQueue(),
                theQueueKnowsNoTime(),
                aTimedOutWaiterGoesOnInTheBackground(),
                aTimedOutWaiterKeepsItsTicket(),
                aLeaseThatEndsIsNotNoticed(),
                lockGivesUpAfterItsLease(),
                aTimeOutUsesUpAPermit(),
                aTimedOutThreadCountsAsHolder());
    }

    /** A wrong lock whose lock objects are broken. Each factory gets a spoiler with its own state. */
    public static WrongLock spoilt(
            String name, Supplier<UnaryOperator<DistributedLock>> spoilerOfFactory, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                UnaryOperator<DistributedLock> spoiler = spoilerOfFactory.get();
                return new ForwardingFactory(correct) {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return spoiler.apply(lock);
                    }
                };
            }
        };
    }

    private static WrongLock tryLockWaits() {
        return spoilt(
                "tryLockWaits",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock() {
                        try {
                            return correct.tryLock(1, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            return correct.tryLock();
                        }
                    }
                },
                "5.1");
    }

    private static WrongLock timedTryLockTriesOnce() {
        return spoilt(
                "timedTryLockTriesOnce",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        unit.toNanos(time);
                        return correct.tryLock(0, unit);
                    }
                },
                "5.3",
                "5.5",
                "5.6",
                "5.9",
                "5.15",
                "5.16",
                "5.19",
                "8.6",
                "8.11");
    }

    private static WrongLock timedTryLockGivesUpEarly() {
        return spoilt(
                "timedTryLockGivesUpEarly",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        long nanos = unit.toNanos(time);
                        return correct.tryLock(nanos < Long.MAX_VALUE ? nanos / 2 : nanos, NANOSECONDS);
                    }
                },
                "5.3",
                "5.6",
                "5.15",
                "5.16",
                "8.11");
    }

    private static WrongLock timedTryLockSpendsItsWaitTwice() {
        return spoilt(
                "timedTryLockSpendsItsWaitTwice",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        return correct.tryLock(time, unit) || correct.tryLock(time, unit);
                    }
                },
                "5.4",
                "5.15",
                "15.5");
    }

    private static WrongLock timedTryLockTakesAnyUnitForMilliseconds() {
        return spoilt(
                "timedTryLockTakesAnyUnitForMilliseconds",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        Objects.requireNonNull(unit);
                        return correct.tryLock(time, MILLISECONDS);
                    }
                },
                "5.6");
    }

    private static WrongLock timedTryLockTakesZeroForEver() {
        return spoilt(
                "timedTryLockTakesZeroForEver",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        return correct.tryLock(unit.toNanos(time) == 0 ? Long.MAX_VALUE : time, unit);
                    }
                },
                "5.7");
    }

    private static WrongLock timedTryLockTakesZeroForFailure() {
        return spoilt(
                "timedTryLockTakesZeroForFailure",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        return unit.toNanos(time) > 0 && correct.tryLock(time, unit);
                    }
                },
                "5.8");
    }

    private static WrongLock timedTryLockOverflows() {
        return spoilt(
                "timedTryLockOverflows",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        long deadline = System.currentTimeMillis() + unit.toMillis(time);
                        return correct.tryLock(deadline < 0 ? 0 : time, unit);
                    }
                },
                "5.9");
    }

    private static WrongLock timedTryLockRoundsItsTimeDownToNothing() {
        return spoilt(
                "timedTryLockRoundsItsTimeDownToNothing",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        boolean nothing = time > 0 && unit.toMillis(time) == 0;
                        return !nothing && correct.tryLock(time, unit);
                    }
                },
                "5.23");
    }

    private static WrongLock tryAcquireTriesOnce() {
        return spoilt(
                "tryAcquireTriesOnce",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
                        Objects.requireNonNull(wait);
                        return correct.tryAcquire(Duration.ZERO);
                    }
                },
                "5.10",
                "5.11",
                "5.13",
                "5.16");
    }

    private static WrongLock tryAcquireSpendsItsWaitTwice() {
        return spoilt(
                "tryAcquireSpendsItsWaitTwice",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
                        Optional<LockHandle> lease = correct.tryAcquire(wait);
                        return lease.isPresent() ? lease : correct.tryAcquire(wait);
                    }
                },
                "5.11");
    }

    private static WrongLock tryAcquireWithoutATimeWaits() {
        return spoilt(
                "tryAcquireWithoutATimeWaits",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public Optional<LockHandle> tryAcquire() {
                        try {
                            return correct.tryAcquire(Scale.LONG_LEASE);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            return Optional.empty();
                        }
                    }
                },
                "4.24",
                "5.24");
    }

    private static WrongLock tryAcquireTakesZeroForEver() {
        return spoilt(
                "tryAcquireTakesZeroForEver",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
                        return wait.isZero() ? Optional.of(correct.acquire()) : correct.tryAcquire(wait);
                    }
                },
                "5.12");
    }

    private static WrongLock tryAcquireOverflows() {
        return spoilt(
                "tryAcquireOverflows",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
                        return correct.tryAcquire(wait.isNegative() ? Duration.ZERO : Duration.ofNanos(wait.toNanos()));
                    }
                },
                "5.13");
    }

    private static WrongLock aMissingUnitMeansMilliseconds() {
        return spoilt(
                "aMissingUnitMeansMilliseconds",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                        return correct.tryLock(time, Objects.requireNonNullElse(unit, MILLISECONDS));
                    }
                },
                "5.14");
    }

    /** The queue of each name that some locks keep in front of the correct one's own. */
    static final class Queues {
        private final Map<String, ReentrantLock> queues = new ConcurrentHashMap<>();

        ReentrantLock of(DistributedLock lock) {
            return queues.computeIfAbsent(lock.name(), name -> new ReentrantLock(true));
        }
    }

    private static WrongLock theTimeBeginsAgainAtTheHeadOfTheQueue() {
        return spoilt(
                "theTimeBeginsAgainAtTheHeadOfTheQueue",
                () -> {
                    Queues queues = new Queues();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                            ReentrantLock queue = queues.of(lock);
                            if (unit.toNanos(time) <= 0 || correct.isHeldByCurrentThread()) {
                                return correct.tryLock(time, unit);
                            }
                            if (!queue.tryLock(time, unit)) {
                                return false;
                            }
                            try {
                                return correct.tryLock(time, unit);
                            } finally {
                                queue.unlock();
                            }
                        }
                    };
                },
                "5.15");
    }

    private static WrongLock theQueueKnowsNoTime() {
        return spoilt(
                "theQueueKnowsNoTime",
                () -> {
                    Queues queues = new Queues();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (correct.isHeldByCurrentThread()) {
                                correct.lock();
                                return;
                            }
                            ReentrantLock queue = queues.of(lock);
                            queue.lock();
                            try {
                                correct.lock();
                            } finally {
                                queue.unlock();
                            }
                        }

                        @Override
                        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                            long nanos = unit.toNanos(time);
                            if (nanos <= 0 || correct.isHeldByCurrentThread()) {
                                return correct.tryLock(time, unit);
                            }
                            long start = System.nanoTime();
                            ReentrantLock queue = queues.of(lock);
                            queue.lockInterruptibly();
                            try {
                                long left = nanos - (System.nanoTime() - start);
                                return correct.tryLock(left, NANOSECONDS);
                            } finally {
                                queue.unlock();
                            }
                        }
                    };
                },
                "5.16",
                "8.6");
    }

    private static WrongLock aTimedOutWaiterGoesOnInTheBackground() {
        return spoilt(
                        "aTimedOutWaiterGoesOnInTheBackground",
                        () -> lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                                boolean acquired = correct.tryLock(time, unit);
                                if (!acquired && unit.toMillis(time) > 0) {
                                    goOn();
                                }
                                return acquired;
                            }

                            private void goOn() {
                                Actor background = Actor.platform("background");
                                // Has its place before any other thread can ask, however busy the machine is.
                                background.settle(background.begin("acquire()", correct::acquire));
                                background.begin("end", () -> {
                                    background.dismiss();
                                    return true;
                                });
                            }
                        },
                        "5.17",
                        "5.18",
                        "5.21",
                        "7.12",
                        "15.2",
                        "15.5")
                // The waiter in the background races with the one that stays.
                .races("8.12");
    }

    /** Tickets for waiters, as at a counter. */
    static final class Counter {
        private long issued;
        private long serving;

        synchronized long take() {
            return issued++;
        }

        synchronized boolean await(long number, long untilNanos) throws InterruptedException {
            while (serving != number) {
                long left = untilNanos - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                NANOSECONDS.timedWait(this, left);
            }
            return true;
        }

        synchronized void next() {
            serving++;
            notifyAll();
        }
    }

    private static WrongLock aTimedOutWaiterKeepsItsTicket() {
        return spoilt(
                "aTimedOutWaiterKeepsItsTicket",
                () -> {
                    Map<String, Counter> counters = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            if (correct.tryLock()) {
                                return;
                            }
                            Counter counter = counter();
                            long number = counter.take();
                            boolean interrupted = Thread.interrupted();
                            while (true) {
                                try {
                                    counter.await(number, System.nanoTime() + TimeUnit.DAYS.toNanos(1));
                                    break;
                                } catch (InterruptedException e) {
                                    interrupted = true;
                                }
                            }
                            try {
                                correct.lock();
                            } finally {
                                counter.next();
                                if (interrupted) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        }

                        @Override
                        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                            if (unit.toMillis(time) <= 0 || unit.toDays(time) > 0 || correct.isHeldByCurrentThread()) {
                                return correct.tryLock(time, unit);
                            }
                            long until = System.nanoTime() + unit.toNanos(time);
                            Counter counter = counter();
                            if (!counter.await(counter.take(), until)) {
                                return false;
                            }
                            try {
                                return correct.tryLock(Math.max(1, until - System.nanoTime()), NANOSECONDS);
                            } finally {
                                counter.next();
                            }
                        }

                        private Counter counter() {
                            return counters.computeIfAbsent(lock.name(), name -> new Counter());
                        }
                    };
                },
                "5.18",
                "5.21",
                "8.6");
    }

    private static WrongLock aLeaseThatEndsIsNotNoticed() {
        return new WrongLock("aLeaseThatEndsIsNotNoticed", "5.19", "8.16", "8.22") {
            @Override
            protected MemoryServer server() {
                return new MemoryServer() {
                    @Override
                    protected Attempt attempt(Claim claim) {
                        Attempt attempt = super.attempt(claim);
                        return attempt instanceof Attempt.Refused ? new Attempt.Refused(Optional.empty()) : attempt;
                    }
                };
            }

            @Override
            protected LockConfig config(LockConfig config) {
                return config.toBuilder().waitCeiling(Duration.ofHours(1)).build();
            }
        };
    }

    private static WrongLock lockGivesUpAfterItsLease() {
        return new WrongLock("lockGivesUpAfterItsLease", "5.20") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedLock getLock(String name) {
                        return getLock(name, config.lockDefaults());
                    }

                    @Override
                    public DistributedLock getLock(String name, LockOptions options) {
                        return new ForwardingLock(correct.getLock(name, options)) {
                            @Override
                            public LockHandle acquire() throws InterruptedException {
                                return correct.tryAcquire(options.lease()).orElseThrow(IllegalStateException::new);
                            }
                        };
                    }
                };
            }
        };
    }

    private static WrongLock aTimeOutUsesUpAPermit() {
        return spoilt(
                "aTimeOutUsesUpAPermit",
                () -> {
                    Semaphore pool = new Semaphore(32);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                            if (!pool.tryAcquire()) {
                                return false;
                            }
                            boolean acquired = correct.tryLock(time, unit);
                            if (acquired) {
                                pool.release();
                            }
                            return acquired;
                        }
                    };
                },
                "5.21");
    }

    private static WrongLock aTimedOutThreadCountsAsHolder() {
        return spoilt(
                "aTimedOutThreadCountsAsHolder",
                () -> {
                    Map<Thread, Boolean> timedOut = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                            boolean acquired = correct.tryLock(time, unit);
                            if (!acquired && unit.toMillis(time) > 0) {
                                timedOut.put(Thread.currentThread(), true);
                            }
                            return acquired;
                        }

                        @Override
                        public int getHoldCount() {
                            return correct.getHoldCount() + (timedOut.containsKey(Thread.currentThread()) ? 1 : 0);
                        }
                    };
                },
                "5.22");
    }
}
