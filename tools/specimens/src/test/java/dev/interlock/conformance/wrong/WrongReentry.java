// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongOwnership.ObservedLock;
import dev.interlock.conformance.wrong.WrongOwnership.WithBackDoor;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.specimens.ForwardingFactory;
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

final class WrongReentry {
    private WrongReentry() {}

    static List<WrongLock> locks() {
        return List.of(
                WrongOwnership.ofEachLock(
                        "theHolderIsRefused",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void lock() {
                                refuseTheHolder();
                                super.lock();
                            }

                            @Override
                            public void lockInterruptibly() throws InterruptedException {
                                refuseTheHolder();
                                super.lockInterruptibly();
                            }

                            private void refuseTheHolder() {
                                if (correct.isHeldByCurrentThread()) {
                                    throw new IllegalStateException("a thread would wait for itself");
                                }
                            }

                            @Override
                            public boolean tryLock() {
                                return !correct.isHeldByCurrentThread() && super.tryLock();
                            }

                            @Override
                            public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                                return !correct.isHeldByCurrentThread() && super.tryLock(time, unit);
                            }
                        },
                        "3.1",
                        "3.2",
                        "3.3",
                        "3.4",
                        "3.5",
                        "3.6",
                        "3.7",
                        "3.8",
                        "3.9",
                        "3.12",
                        "3.13",
                        "3.14",
                        "3.15",
                        "3.16",
                        "3.17",
                        "3.18",
                        "3.19"),
                WrongOwnership.ofEachLock(
                        "everyUnlockFrees",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                do {
                                    super.unlock();
                                } while (correct.isHeldByCurrentThread());
                            }
                        },
                        "3.2",
                        "3.3",
                        "3.7",
                        "3.8",
                        "3.9",
                        "3.12",
                        "3.13",
                        "3.14",
                        "3.16"),
                new WithBackDoor("reEntryAsksTheBackend", "3.8") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ObservedLock(lock) {
                            @Override
                            void acquired() {
                                if (correct.getHoldCount() > 1) {
                                    ask(name());
                                }
                            }
                        };
                    }
                },
                WrongOwnership.ofEachClient(
                        "theHolderQueuesBehindThoseWhoWait",
                        () -> {
                            Map<String, Integer> waiting = new ConcurrentHashMap<>();
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public void lock() {
                                    boolean holds = correct.isHeldByCurrentThread();
                                    if (holds && waiting.getOrDefault(name(), 0) > 0) {
                                        throw new IllegalStateException("a thread would wait for itself");
                                    }
                                    if (holds) {
                                        super.lock();
                                        return;
                                    }
                                    waiting.merge(name(), 1, Integer::sum);
                                    try {
                                        super.lock();
                                    } finally {
                                        waiting.merge(name(), -1, Integer::sum);
                                    }
                                }
                            };
                        },
                        "3.9"),
                WrongOwnership.ofEachClient(
                        "holdsAreCountedByThreadAlone",
                        () -> {
                            ThreadLocal<Integer> holds = ThreadLocal.withInitial(() -> 0);
                            return lock -> new ObservedLock(lock) {
                                @Override
                                void acquired() {
                                    holds.set(holds.get() + 1);
                                }

                                @Override
                                public int getHoldCount() {
                                    return correct.getHoldCount() == 0 ? 0 : holds.get();
                                }

                                @Override
                                public void unlock() {
                                    if (correct.isHeldByCurrentThread()) {
                                        holds.set(holds.get() - 1);
                                    }
                                    super.unlock();
                                }
                            };
                        },
                        "3.13",
                        "3.18"),
                new WrongLock("aViewWithAnotherLeaseIsAnotherLock", "3.20") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory locks, LockConfig config) {
                        return new ForwardingFactory(locks) {
                            @Override
                            protected DistributedLock spoil(DistributedLock lock) {
                                return new ForwardingLock(lock) {
                                    @Override
                                    public String name() {
                                        return super.name().replaceFirst(" for PT.*", "");
                                    }

                                    @Override
                                    public DistributedLock withLease(Duration lease) {
                                        return getLock(name() + " for " + lease);
                                    }
                                };
                            }
                        };
                    }
                },
                WrongOwnership.ofEachClient(
                        "reEntryIsBelievedForTheWholeLease",
                        () -> {
                            ThreadLocal<Map<String, Integer>> inner = ThreadLocal.withInitial(HashMap::new);
                            return lock -> new ForwardingLock(lock) {
                                private boolean reEnters() {
                                    if (!correct.isHeldByCurrentThread()) {
                                        inner.get().remove(name());
                                        return false;
                                    }
                                    inner.get().merge(name(), 1, Integer::sum);
                                    return true;
                                }

                                @Override
                                public void lock() {
                                    if (!reEnters()) {
                                        super.lock();
                                    }
                                }

                                @Override
                                public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                                    return reEnters() || super.tryLock(time, unit);
                                }

                                @Override
                                public void unlock() {
                                    if (correct.isHeldByCurrentThread()
                                            && inner.get().getOrDefault(name(), 0) > 0) {
                                        inner.get().merge(name(), -1, Integer::sum);
                                    } else {
                                        super.unlock();
                                    }
                                }
                            };
                        },
                        "3.21",
                        "3.24"),
                new WrongLock("reEntryProlongsTheLease", "3.15", "3.22") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public DistributedLock getLock(String name, LockOptions options) {
                                Duration fresh = options.lease().minusMillis(9);
                                return new ObservedLock(correct.getLock(name, options)) {
                                    @Override
                                    void acquired() {
                                        if (correct.getHoldCount() > 1) {
                                            correct.lease().orElseThrow().ensureValid(fresh);
                                        }
                                    }
                                };
                            }
                        };
                    }
                },
                new WrongLock("anInnerUnlockEndsRenewal", "3.16") {
                    private final Set<String> ended = ConcurrentHashMap.newKeySet();

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new MemoryProtocol(server, config.commandTimeout()) {
                            @Override
                            public List<Renewal> renew(List<Claim> claims) {
                                return claims.stream()
                                        .map(claim -> ended.contains(claim.name())
                                                ? new Renewal.Failed(new LockBackendException(
                                                        LockBackendException.Reason.UNREACHABLE, "not renewed"))
                                                : super.renew(List.of(claim)).get(0))
                                        .toList();
                            }
                        };
                    }

                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            protected DistributedLock spoil(DistributedLock lock) {
                                return new ForwardingLock(lock) {
                                    @Override
                                    public void unlock() {
                                        super.unlock();
                                        if (correct.isHeldByCurrentThread()) {
                                            ended.add(name());
                                        }
                                    }
                                };
                            }
                        };
                    }
                },
                WrongOwnership.ofEachClient(
                        "aLossOfSeveralHoldsIsToldOnce",
                        () -> {
                            ThreadLocal<Set<String>> told = ThreadLocal.withInitial(HashSet::new);
                            return lock -> new ObservedLock(lock) {
                                @Override
                                void acquired() {
                                    told.get().remove(name());
                                }

                                @Override
                                public void unlock() {
                                    try {
                                        super.unlock();
                                    } catch (LeaseLostException e) {
                                        if (!told.get().add(name())) {
                                            throw new IllegalMonitorStateException(
                                                    "lock \"" + name() + "\" is not held");
                                        }
                                        throw e;
                                    }
                                }
                            };
                        },
                        "3.17"),
                WrongOwnership.ofEachLock(
                        "reEntryHidesTheLease",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Optional<Lease> lease() {
                                return correct.getHoldCount() > 1 ? Optional.empty() : super.lease();
                            }
                        },
                        "3.14",
                        "3.15",
                        "3.16",
                        "7.5"),
                WrongOwnership.ofEachLock(
                        "theHolderReEntersWhateverItsInterruptStatus",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void lockInterruptibly() throws InterruptedException {
                                if (correct.isHeldByCurrentThread()) {
                                    super.lock();
                                } else {
                                    super.lockInterruptibly();
                                }
                            }

                            @Override
                            public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
                                return correct.isHeldByCurrentThread() ? super.tryLock() : super.tryLock(time, unit);
                            }
                        },
                        "3.19"));
    }
}
