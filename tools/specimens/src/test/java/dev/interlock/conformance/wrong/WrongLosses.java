// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongOwnership.WithBackDoor;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Locks that tell a thread of its loss wrongly. */
final class WrongLosses {
    private WrongLosses() {}

    static List<WrongLock> locks() {
        return List.of(
                WrongOwnership.ofEachLock(
                        "anAcquisitionAfterALossIsFresh",
                        lock -> new LockWithHook(lock) {
                            @Override
                            <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                correct.isHeldByCurrentThread();
                                return acquisition.run();
                            }
                        },
                        "2.32",
                        "2.33",
                        "2.34",
                        "2.36",
                        "2.37",
                        "2.38",
                        "2.39",
                        "2.40",
                        "3.23",
                        "10.18"),
                WrongOwnership.ofEachLock(
                        "tryLockTakesALossForARefusal",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean tryLock() {
                                try {
                                    return super.tryLock();
                                } catch (LeaseLostException e) {
                                    return false;
                                }
                            }
                        },
                        "2.33",
                        "2.36",
                        "2.37",
                        "2.38",
                        "2.39"),
                WrongOwnership.ofEachClient(
                        "queriesDoNotTellOfALoss",
                        () -> {
                            ThreadLocal<Map<String, Lease>> held = ThreadLocal.withInitial(HashMap::new);
                            return lock -> new LockWithHook(lock) {
                                @Override
                                <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                    Lease last = held.get().get(name());
                                    if (last != null && !last.isValid()) {
                                        held.get().remove(name());
                                        throw lost(name());
                                    }
                                    T granted = acquisition.run();
                                    correct.lease()
                                            .ifPresent(lease -> held.get().put(name(), lease));
                                    return granted;
                                }

                                @Override
                                public void unlock() {
                                    try {
                                        super.unlock();
                                    } finally {
                                        held.get().values().removeIf(lease -> !lease.isValid());
                                    }
                                }
                            };
                        },
                        "2.24",
                        "2.25",
                        "2.35",
                        "2.36",
                        "3.18"),
                WrongOwnership.ofEachClient(
                        "everyAcquisitionIsRefusedForALoss",
                        () -> {
                            ThreadLocal<Set<String>> told = ThreadLocal.withInitial(HashSet::new);
                            return lock -> new LockWithHook(lock) {
                                @Override
                                <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                    if (told.get().contains(name())) {
                                        throw lost(name());
                                    }
                                    try {
                                        return acquisition.run();
                                    } catch (LeaseLostException e) {
                                        told.get().add(name());
                                        throw e;
                                    }
                                }

                                @Override
                                public void unlock() {
                                    told.get().remove(name());
                                    super.unlock();
                                }
                            };
                        },
                        "2.36"),
                WrongOwnership.ofEachLock(
                        "anAcquisitionThatTellsOfALossForgetsIt",
                        lock -> new LockWithHook(lock) {
                            @Override
                            <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                try {
                                    return acquisition.run();
                                } catch (LeaseLostException e) {
                                    forget();
                                    throw e;
                                }
                            }

                            private void forget() {
                                try {
                                    correct.unlock();
                                } catch (IllegalMonitorStateException e) {
                                    // Of one hold only, since the rule has no more.
                                }
                            }
                        },
                        "2.37"),
                new WithBackDoor("theBackendIsAskedBeforeALossIsTold", "2.38", "3.8") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new LockWithHook(lock) {
                            @Override
                            <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                ask(name());
                                return acquisition.run();
                            }
                        };
                    }
                },
                WrongOwnership.ofEachClient(
                        "aLossGoesBeforeAnInterrupt",
                        () -> {
                            Notes lost = new Notes();
                            return lock -> new LockWithHook(lock) {
                                @Override
                                <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                    if (Thread.currentThread().isInterrupted() && lost.remove(name())) {
                                        throw lost(name());
                                    }
                                    T granted = acquisition.run();
                                    lost.noteLossOf(correct.lease(), name());
                                    return granted;
                                }
                            };
                        },
                        "2.39"),
                WrongOwnership.ofEachClient(
                        "aLossIsToldToTheNextThread",
                        () -> {
                            Set<String> lost = ConcurrentHashMap.newKeySet();
                            return lock -> new LockWithHook(lock) {
                                @Override
                                <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                    if (lost.remove(name())) {
                                        throw lost(name());
                                    }
                                    T granted = acquisition.run();
                                    correct.lease().ifPresent(lease -> lease.onLoss(cause -> lost.add(name())));
                                    return granted;
                                }
                            };
                        },
                        "2.40"),
                WrongOwnership.ofEachClient(
                        "theLossOfAHandleIsToldToItsThread",
                        () -> {
                            Notes lost = new Notes();
                            return lock -> new LockWithHook(lock) {
                                @Override
                                <T> T around(Acquisition<T> acquisition) throws InterruptedException {
                                    if (lost.remove(name())) {
                                        throw lost(name());
                                    }
                                    return acquisition.run();
                                }

                                @Override
                                protected LockHandle spoil(LockHandle handle) {
                                    lost.noteLossOf(Optional.of(handle), name());
                                    return handle;
                                }
                            };
                        },
                        "2.41"));
    }

    private static LeaseLostException lost(String name) {
        return new LeaseLostException(name, LossCause.EXPIRED);
    }

    /** The losses of threads, by name. */
    static final class Notes {
        private final Set<List<Object>> losses = ConcurrentHashMap.newKeySet();

        /** Notes the loss of a lease by the current thread. */
        void noteLossOf(Optional<Lease> lease, String name) {
            Thread thread = Thread.currentThread();
            lease.ifPresent(held -> held.onLoss(cause -> losses.add(List.of(thread, name))));
        }

        boolean remove(String name) {
            return losses.remove(List.of(Thread.currentThread(), name));
        }
    }

    /** A lock with a hook around each acquisition. */
    abstract static class LockWithHook extends ForwardingLock {
        interface Acquisition<T> {
            T run() throws InterruptedException;
        }

        LockWithHook(DistributedLock correct) {
            super(correct);
        }

        abstract <T> T around(Acquisition<T> acquisition) throws InterruptedException;

        private <T> T aroundIgnoringInterrupts(Acquisition<T> acquisition) {
            try {
                return around(acquisition);
            } catch (InterruptedException e) {
                throw new AssertionError("not interruptible", e);
            }
        }

        @Override
        public void lock() {
            aroundIgnoringInterrupts(() -> {
                super.lock();
                return true;
            });
        }

        @Override
        public boolean tryLock() {
            return aroundIgnoringInterrupts(() -> super.tryLock());
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            around(() -> {
                super.lockInterruptibly();
                return true;
            });
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return around(() -> super.tryLock(time, unit));
        }

        @Override
        public LockHandle acquire() throws InterruptedException {
            return around(() -> super.acquire());
        }

        @Override
        public Optional<LockHandle> tryAcquire() {
            return aroundIgnoringInterrupts(() -> super.tryAcquire());
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
            return around(() -> super.tryAcquire(wait));
        }
    }
}
