// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.conformance.memory.FairLock;
import dev.interlock.conformance.memory.ForwardingConditions;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.ConditionProtocol.Place;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Locks whose conditions are wrong. */
final class WrongConditions {
    private WrongConditions() {}

    /** A lock that is wrong in each of its conditions. */
    private static WrongLock ofEach(
            String name, BiFunction<DistributedLock, Condition, Condition> spoiler, String... breaks) {
        return WrongOwnership.ofEachLock(name, SpoiltCondition.of(spoiler), breaks);
    }

    /** A lock whose server is wrong. */
    private static WrongLock ofServer(String name, Supplier<MemoryServer> server, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected MemoryServer server() {
                return server.get();
            }
        };
    }

    /** A lock whose clients speak wrongly to a correct server. */
    private static WrongLock ofProtocol(String name, UnaryOperator<ConditionProtocol> spoiler, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new MemoryProtocol(server, config.commandTimeout()) {
                    @Override
                    public Optional<ConditionProtocol> conditions() {
                        return super.conditions().map(spoiler);
                    }
                };
            }
        };
    }

    static List<WrongLock> locks() {
        List<WrongLock> all = new ArrayList<>(ofWaits());
        all.addAll(ofInterrupts());
        all.addAll(ofSignals());
        all.addAll(ofFailures());
        return all;
    }

    private static List<WrongLock> ofWaits() {
        return List.of(
                ofEach(
                        "aWaitKeepsTheLock",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                                return 1;
                            }
                        },
                        "13.1",
                        "13.18",
                        "13.38"),
                ofEach(
                        "aWaitReturnsWithoutTheLock",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } finally {
                                    if (lock.isHeldByCurrentThread()) {
                                        lock.unlock();
                                    }
                                }
                            }
                        },
                        "13.3",
                        "13.19",
                        "13.23",
                        "13.37"),
                ofEach(
                        "aWaitGivesUpOneHold",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                if (lock.getHoldCount() > 1) {
                                    lock.unlock();
                                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                                    lock.lock();
                                    return 0;
                                }
                                return waiting.run();
                            }
                        },
                        "13.4"),
                ofEach(
                        "aWaitRestoresOneHold",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } finally {
                                    while (lock.getHoldCount() > 1) {
                                        lock.unlock();
                                    }
                                }
                            }
                        },
                        "13.4",
                        "13.18",
                        "13.24"),
                WrongOwnership.ofEachLock(
                        "aWaitReturnsWithTheOldToken",
                        lock -> new ForwardingLock(lock) {
                            private final AtomicLong first = new AtomicLong();

                            @Override
                            protected Lease spoil(Lease lease) {
                                return new ForwardingLease(lease) {
                                    @Override
                                    public OptionalLong fencingToken() {
                                        first.compareAndSet(
                                                0, super.fencingToken().orElseThrow());
                                        return OptionalLong.of(first.get());
                                    }
                                };
                            }
                        },
                        "13.5"),
                ofEach(
                        "aSignalledWaiterDoesNotWaitForTheLock",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public void signal() {
                                super.signal();
                                lock.unlock();
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                                lock.lock();
                            }
                        },
                        "13.3"),
                ofEach(
                        "anyoneMayWait",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                return lock.isHeldByCurrentThread() ? waiting.run() : 1;
                            }
                        },
                        "13.16",
                        "13.30"),
                ofEach(
                        "anyoneMaySignal",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public void signal() {
                                if (lock.isHeldByCurrentThread()) {
                                    super.signal();
                                }
                            }

                            @Override
                            public void signalAll() {
                                if (lock.isHeldByCurrentThread()) {
                                    super.signalAll();
                                }
                            }
                        },
                        "13.17",
                        "13.31"),
                ofEach(
                        "aTimeOutIsToldAsASignal",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                return Math.max(1, waiting.run());
                            }
                        },
                        "13.10",
                        "13.18",
                        "13.19",
                        "13.22"),
                ofEach(
                        "noTimeIsMuchTime",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public long awaitNanos(long nanosTimeout) throws InterruptedException {
                                return super.awaitNanos(nanosTimeout <= 0 ? Long.MAX_VALUE : nanosTimeout);
                            }
                        },
                        "13.19"),
                ofEach(
                        "aLongTimeIsTwiceAsLong",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public boolean await(long time, TimeUnit unit) throws InterruptedException {
                                return super.await(2 * unit.toNanos(time), TimeUnit.NANOSECONDS);
                            }
                        },
                        "13.20"),
                ofEach(
                        "awaitNanosTellsWhatItWasGiven",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public long awaitNanos(long nanosTimeout) throws InterruptedException {
                                return super.awaitNanos(nanosTimeout) > 0 ? nanosTimeout : 0;
                            }
                        },
                        "13.21"));
    }

    private static List<WrongLock> ofInterrupts() {
        return List.of(
                ofEach(
                        "anInterruptOnEntryFreesTheLock",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                boolean interrupted = Thread.interrupted();
                                if (interrupted) {
                                    lock.unlock();
                                    throw new InterruptedException();
                                }
                                return waiting.run();
                            }
                        },
                        "13.23"),
                ofEach(
                        "anInterruptIsTakenForASignal",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } catch (InterruptedException e) {
                                    return 1;
                                }
                            }
                        },
                        "13.23",
                        "13.24",
                        "13.27"),
                ofEach(
                        "anUninterruptibleWaitIsInterrupted",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public void awaitUninterruptibly() {
                                try {
                                    correct.await();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        },
                        "13.25"),
                ofEach(
                        "anInterruptAfterTheSignalIsForgotten",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                long left = waiting.run();
                                Thread.interrupted();
                                return left;
                            }
                        },
                        "13.25",
                        "13.26"),
                ofEach(
                        "anInterruptAfterTheSignalIsThrown",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                long left = waiting.run();
                                if (Thread.interrupted()) {
                                    throw new InterruptedException();
                                }
                                return left;
                            }
                        },
                        "13.26"),
                ofEach(
                        "anInterruptAfterTheTimeIsThrown",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                long left = waiting.run();
                                if (left <= 0 && Thread.interrupted()) {
                                    throw new InterruptedException();
                                }
                                return left;
                            }
                        },
                        "13.47"),
                ofEach(
                        "anInterruptAfterTheTimeIsForgotten",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                long left = waiting.run();
                                if (left <= 0) {
                                    Thread.interrupted();
                                }
                                return left;
                            }
                        },
                        "13.47"),
                ofEach(
                        "anInterruptBeforeTheTimeIsThrownAndKept",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                    throw e;
                                }
                            }
                        },
                        "13.23",
                        "13.24",
                        "13.28",
                        "13.48",
                        "13.49"),
                ofEach(
                        "anUninterruptibleWaitLosesTheInterruptThatMeetsItsSignal",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public void awaitUninterruptibly() {
                                boolean onEntry = Thread.currentThread().isInterrupted();
                                super.awaitUninterruptibly();
                                if (!onEntry) {
                                    Thread.interrupted();
                                }
                            }
                        },
                        "13.26",
                        "13.28"),
                ofEach(
                        "aThreadWithoutTheLockIsToldSoFirst",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                if (!lock.isHeldByCurrentThread()) {
                                    throw new IllegalMonitorStateException(lock.name());
                                }
                                return waiting.run();
                            }
                        },
                        "13.30",
                        "13.49"),
                ofServer(
                        "whoeverLeavesStaysInTheList",
                        () -> new MemoryServer() {
                            @Override
                            protected Place leave(Claim waiter, boolean passesOn) {
                                return look(waiter);
                            }
                        },
                        "13.22",
                        "13.27",
                        "13.28",
                        "13.29",
                        "13.48"));
    }

    private static List<WrongLock> ofSignals() {
        return List.of(
                ofEach(
                        "signalsAreLost",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            public void signal() {
                                // Nobody hears it.
                            }
                        },
                        "13.2",
                        "13.7",
                        "13.34",
                        "13.39"),
                ofServer(
                        "aSignalWakesAll",
                        () -> new MemoryServer() {
                            @Override
                            protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                return super.signal(held, condition, true);
                            }
                        },
                        "13.6"),
                ofServer(
                        "signalAllWakesOne",
                        () -> new MemoryServer() {
                            @Override
                            protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                return super.signal(held, condition, false);
                            }
                        },
                        "13.8",
                        "13.40"),
                ofServer(
                        "theLastToWaitIsSignalledFirst",
                        () -> new MemoryServer() {
                            @Override
                            protected void signalNext(Deque<Claim> queue) {
                                Claim waiter = queue.pollLast();
                                if (waiter != null) {
                                    signalled(waiter);
                                }
                            }
                        },
                        "13.7"),
                new FairLock("signalAllTurnsTheOrderRound", "13.9") {
                    @Override
                    protected MemoryServer server() {
                        return new Server() {
                            @Override
                            protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                Deque<Claim> queue = waitersOf(held.name(), condition);
                                List<Claim> reversed = new ArrayList<>(queue);
                                Collections.reverse(reversed);
                                queue.clear();
                                queue.addAll(reversed);
                                return super.signal(held, condition, all);
                            }
                        };
                    }
                },
                ofServer(
                        "aSignalWaitsForAWaiter",
                        () -> new MemoryServer() {
                            private final Deque<String> kept = new ArrayDeque<>();

                            @Override
                            protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                if (waitersOf(held.name(), condition).isEmpty()) {
                                    kept.add(held.name());
                                }
                                return super.signal(held, condition, all);
                            }

                            @Override
                            protected Release await(Claim held, Claim waiter, boolean releases) {
                                Release release = super.await(held, waiter, releases);
                                if (kept.remove(waiter.name())) {
                                    signalNext(waitersLike(waiter));
                                }
                                return release;
                            }
                        },
                        "13.10"),
                ofServer(
                        "aLockHasOneCondition",
                        () -> new MemoryServer() {
                            @Override
                            protected Deque<Claim> waitersOf(String name, String condition) {
                                return super.waitersOf(name, "the one");
                            }
                        },
                        "13.11",
                        "13.13",
                        "13.14"),
                ofServer(
                        "locksShareTheirConditions",
                        () -> new MemoryServer() {
                            @Override
                            protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                waiting.forEach((key, queue) -> {
                                    if (key.endsWith("\0" + condition)) {
                                        signalNext(queue);
                                    }
                                });
                                return Optional.empty();
                            }
                        },
                        "13.15"),
                WrongOwnership.ofEachClient(
                        "conditionsAreNumberedByFactory",
                        () -> {
                            AtomicInteger made = new AtomicInteger();
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public Condition newCondition() {
                                    return correct.condition("number " + made.incrementAndGet());
                                }
                            };
                        },
                        "13.12"),
                WrongOwnership.ofEachLock(
                        "aNameMayBeANumber",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Condition condition(String name) {
                                return name.equals("1") ? super.newCondition() : super.condition(name);
                            }
                        },
                        "13.13"),
                new WrongLock("conditionsAreThoseOfTheirClient", "13.2", "13.7", "13.8") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        String client = Integer.toString(System.identityHashCode(correct));
                        return new ForwardingFactory(correct) {
                            @Override
                            protected DistributedLock spoil(DistributedLock lock) {
                                return new ForwardingLock(lock) {
                                    private final AtomicInteger made = new AtomicInteger();

                                    @Override
                                    public Condition newCondition() {
                                        return condition("number " + made.incrementAndGet());
                                    }

                                    @Override
                                    public Condition condition(String name) {
                                        return super.condition(name + " of client " + client);
                                    }
                                };
                            }
                        };
                    }
                },
                WrongOwnership.ofEachLock(
                        "viewsCountForThemselves",
                        lock -> new ForwardingLock(lock) {
                            private final AtomicInteger made = new AtomicInteger();

                            @Override
                            public Condition newCondition() {
                                return condition("number " + made.incrementAndGet());
                            }
                        },
                        "13.14"),
                WrongOwnership.ofEachLock(
                        "anyNameWillDo",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Condition condition(String name) {
                                return super.condition("x" + name.hashCode());
                            }
                        },
                        "13.41"));
    }

    private static List<WrongLock> ofFailures() {
        return List.of(
                ofEach(
                        "aLossIsWaitedOut",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } catch (LeaseLostException e) {
                                    lock.lock();
                                    return 1;
                                }
                            }

                            @Override
                            public void signalAll() {
                                try {
                                    super.signalAll();
                                } catch (LeaseLostException e) {
                                    lock.lock();
                                    super.signalAll();
                                }
                            }
                        },
                        "13.30",
                        "13.31"),
                ofEach(
                        "closeEndsWaitsWithoutAWord",
                        (lock, condition) -> new SpoiltCondition(lock, condition) {
                            @Override
                            long await(Waiting waiting) throws InterruptedException {
                                try {
                                    return waiting.run();
                                } catch (IllegalStateException e) {
                                    return 1;
                                }
                            }
                        },
                        "13.32"),
                ofProtocol(
                        "aClientThatClosesKeepsItsSignal",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Place leave(Claim waiter, boolean passesOn) {
                                return super.leave(waiter, false);
                            }
                        },
                        "13.33"),
                ofProtocol(
                        "anOutageEndsAWait",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Place look(Claim waiter) {
                                try {
                                    return super.look(waiter);
                                } catch (LockBackendException e) {
                                    throw new LockBackendException(
                                            LockBackendException.Reason.REFUSED, "an outage is the end", e);
                                }
                            }
                        },
                        "13.34"),
                ofProtocol(
                        "anOutageIsWaitedOut",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Place look(Claim waiter) {
                                try {
                                    return super.look(waiter);
                                } catch (LockBackendException e) {
                                    return Place.WAITING;
                                }
                            }
                        },
                        "13.35"),
                ofProtocol(
                        "aLostReplyEndsAWaitWithoutTheLock",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Release await(Claim held, Claim waiter, boolean releases) {
                                try {
                                    return super.await(held, waiter, releases);
                                } catch (LockBackendException e) {
                                    throw new LockBackendException(
                                            LockBackendException.Reason.REFUSED, "there was no reply", e);
                                }
                            }
                        },
                        "13.46"),
                ofProtocol(
                        "aSignalInAnOutageIsForgotten",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Optional<LossCause> signal(Claim held, String condition, boolean all) {
                                try {
                                    return super.signal(held, condition, all);
                                } catch (LockBackendException e) {
                                    return Optional.empty();
                                }
                            }
                        },
                        "13.36"),
                ofProtocol(
                        "aLostPlaceIsWaitedFor",
                        correct -> new ForwardingConditions(correct) {
                            @Override
                            public Place look(Claim waiter) {
                                Place place = super.look(waiter);
                                return place == Place.GONE ? Place.WAITING : place;
                            }
                        },
                        "13.37"));
    }
}
