// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

final class WrongOwnership {
    private WrongOwnership() {}

    static List<WrongLock> locks() {
        return List.of(
                ofEachLock(
                        "unlockOfWhatIsNotHeldIsSilent",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    throw e;
                                } catch (IllegalMonitorStateException e) {
                                    // The defect is on purpose.
                                }
                            }
                        },
                        "2.1",
                        "2.2",
                        "2.3",
                        "2.4",
                        "2.5",
                        "2.11",
                        "2.12",
                        "2.15",
                        "2.23",
                        "2.25",
                        "2.29",
                        "3.12",
                        "3.17"),
                new WithBackDoor(
                        "anyThreadMayUnlock",
                        "2.1",
                        "2.2",
                        "2.3",
                        "2.4",
                        "2.5",
                        "2.11",
                        "2.12",
                        "2.15",
                        "2.23",
                        "2.25",
                        "2.29",
                        "3.12",
                        "3.17") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    throw e;
                                } catch (IllegalMonitorStateException e) {
                                    free(name());
                                }
                            }
                        };
                    }
                },
                ofEachLock(
                        "theLockIsHeldThroughOneObject",
                        lock -> new ObservedLock(lock) {
                            private final Set<Thread> holders = ConcurrentHashMap.newKeySet();

                            @Override
                            void acquired() {
                                holders.add(Thread.currentThread());
                            }

                            @Override
                            public boolean isHeldByCurrentThread() {
                                return super.isHeldByCurrentThread() && holders.contains(Thread.currentThread());
                            }

                            @Override
                            public void unlock() {
                                if (!holders.contains(Thread.currentThread())) {
                                    throw new IllegalMonitorStateException("lock \"" + name() + "\" is not held");
                                }
                                super.unlock();
                            }
                        },
                        "2.6"),
                new WrongLock("someUnlocksReturnBeforeTheLockIsFree", "2.7", "4.19") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        AtomicInteger releases = new AtomicInteger();
                        return new MemoryProtocol(server, config.commandTimeout()) {
                            @Override
                            public Release release(Claim claim) {
                                if (releases.incrementAndGet() % 10 != 0) {
                                    return super.release(claim);
                                }
                                CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS)
                                        .execute(() -> super.release(claim));
                                return new Release.Freed(true);
                            }
                        };
                    }
                },
                ofEachClient(
                        "unlockFreesAllThatTheThreadHolds",
                        () -> {
                            ThreadLocal<Set<DistributedLock>> held = ThreadLocal.withInitial(HashSet::new);
                            return lock -> new ObservedLock(lock) {
                                @Override
                                void acquired() {
                                    held.get().add(correct);
                                }

                                @Override
                                public void unlock() {
                                    super.unlock();
                                    held.get().stream()
                                            .filter(DistributedLock::isHeldByCurrentThread)
                                            .filter(other -> !other.name().equals(name()))
                                            .forEach(DistributedLock::unlock);
                                }
                            };
                        },
                        "2.8",
                        "3.13"),
                ofEachClient(
                        "leaseIsThatOfAnyThread",
                        () -> {
                            Map<String, Lease> leases = new ConcurrentHashMap<>();
                            return lock -> new ObservedLock(lock) {
                                @Override
                                void acquired() {
                                    correct.lease().ifPresent(lease -> leases.put(name(), lease));
                                }

                                @Override
                                public Optional<Lease> lease() {
                                    return Optional.ofNullable(leases.get(name()))
                                            .filter(Lease::isValid);
                                }
                            };
                        },
                        "2.10",
                        "2.11",
                        "2.12",
                        "2.13",
                        "2.14"),
                ofEachClient(
                        "aThreadIsKnownByItsName",
                        () -> {
                            Map<String, Thread> holders = new ConcurrentHashMap<>();
                            return lock -> new LockOfRelatives(lock) {
                                @Override
                                Map<String, Thread> holders() {
                                    return holders;
                                }

                                @Override
                                boolean isRelatedTo(Thread holder) {
                                    // Virtual threads have no name; another lock is wrong with them.
                                    String name = Thread.currentThread().getName();
                                    return !name.isEmpty() && holder.getName().equals(name);
                                }
                            };
                        },
                        "2.11",
                        "2.42"),
                ofEachClient(
                        "threadsInheritLocks",
                        () -> {
                            InheritableThreadLocal<Map<String, Thread>> holders = new InheritableThreadLocal<>() {
                                @Override
                                protected Map<String, Thread> initialValue() {
                                    return new ConcurrentHashMap<>();
                                }
                            };
                            return lock -> new LockOfRelatives(lock) {
                                @Override
                                Map<String, Thread> holders() {
                                    return holders.get();
                                }

                                @Override
                                boolean isRelatedTo(Thread holder) {
                                    return true;
                                }
                            };
                        },
                        "2.12"),
                ofEachClient(
                        "isHeldByCurrentThreadStaysTrueAfterUnlock",
                        () -> {
                            ThreadLocal<Set<String>> unlocked = ThreadLocal.withInitial(HashSet::new);
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public boolean isHeldByCurrentThread() {
                                    return super.isHeldByCurrentThread()
                                            || unlocked.get().contains(name());
                                }

                                @Override
                                public void unlock() {
                                    super.unlock();
                                    unlocked.get().add(name());
                                }
                            };
                        },
                        "2.6",
                        "2.8",
                        "2.9",
                        "3.3",
                        "4.15",
                        "4.19"),
                new WithBackDoor("queriesAskTheBackend", "2.14", "3.8") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            public boolean isHeldByCurrentThread() {
                                ask(name());
                                return super.isHeldByCurrentThread();
                            }

                            @Override
                            public int getHoldCount() {
                                ask(name());
                                return super.getHoldCount();
                            }
                        };
                    }
                },
                ofEachLock(
                        "aHandleMakesItsThreadTheHolder",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public LockHandle acquire() throws InterruptedException {
                                correct.lockInterruptibly();
                                return handle();
                            }

                            @Override
                            public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
                                long nanos = wait.compareTo(Scale.LONG_LEASE) > 0 ? Long.MAX_VALUE : wait.toNanos();
                                return correct.tryLock(nanos, TimeUnit.NANOSECONDS)
                                        ? Optional.of(handle())
                                        : Optional.empty();
                            }

                            private LockHandle handle() {
                                return new CloseableLease(correct.lease().orElseThrow(), correct);
                            }
                        },
                        "2.15",
                        "2.16",
                        "2.17",
                        "3.10",
                        "3.11"),
                new WithBackDoor("aHandleThatIsClosedTwiceFreesTheNextHolder", "2.17") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            protected LockHandle spoil(LockHandle handle) {
                                return new ForwardingHandle(handle) {
                                    private boolean closed;

                                    @Override
                                    public void close() {
                                        super.close();
                                        if (closed) {
                                            free(lockName());
                                        }
                                        closed = true;
                                    }
                                };
                            }
                        };
                    }
                },
                ofEachLock(
                        "isLockedKnowsTheCurrentThreadAlone",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean isLocked() {
                                return isHeldByCurrentThread();
                            }
                        },
                        "2.31",
                        "9.30",
                        "9.34"),
                ofEachLock(
                        "isLockedTakesTheLockToFindOut",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean isLocked() {
                                return correct.tryAcquire().isEmpty();
                            }
                        },
                        "2.31"),
                ofEachLock(
                        "isLockedIsFalseInAnOutage",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean isLocked() {
                                try {
                                    return super.isLocked();
                                } catch (LockBackendException e) {
                                    return false;
                                }
                            }
                        },
                        "9.30",
                        "9.34"),
                ofEachLock(
                        "theLeaseOfAThreadCanBeClosed",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Optional<Lease> lease() {
                                return correct.lease().map(lease -> new CloseableLease(lease, correct));
                            }
                        },
                        "2.18"),
                ofEachLock(
                        "theLeaseOfAThreadIsSeenByThatThreadAlone",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Optional<Lease> lease() {
                                return correct.lease().map(lease -> new ForwardingLease(lease) {
                                    @Override
                                    public boolean isValid() {
                                        return isHeldByCurrentThread() && super.isValid();
                                    }
                                });
                            }
                        },
                        "2.19"),
                ofEachLock(
                        "anOldLeaseIsThatOfTheNextHold",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public Optional<Lease> lease() {
                                return correct.lease().map(lease -> new ForwardingLease(lease) {
                                    @Override
                                    public boolean isValid() {
                                        return super.isValid()
                                                || correct().lease().isPresent();
                                    }
                                });
                            }

                            private DistributedLock correct() {
                                return correct;
                            }
                        },
                        "2.20"),
                ofEachLock(
                        "aLeaseThatWasGivenUpStaysValid",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            protected LockHandle spoil(LockHandle handle) {
                                long until =
                                        System.nanoTime() + handle.remaining().toNanos();
                                return new ForwardingHandle(handle) {
                                    private boolean closed;

                                    @Override
                                    public boolean isValid() {
                                        return super.isValid() || closed && until - System.nanoTime() > 0;
                                    }

                                    @Override
                                    public void close() {
                                        super.close();
                                        closed = true;
                                    }
                                };
                            }
                        },
                        "2.21",
                        "4.16"),
                ofEachLock(
                        "aHolderThatLostTheLockIsToldThatItNeverHadIt",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    throw new IllegalMonitorStateException("lock \"" + name() + "\" is not held");
                                }
                            }
                        },
                        "2.22",
                        "2.26",
                        "2.28",
                        "3.17"),
                ofEachClient(
                        "aLossIsToldForEver",
                        () -> {
                            ThreadLocal<Map<String, LeaseLostException>> told = ThreadLocal.withInitial(HashMap::new);
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public void unlock() {
                                    try {
                                        super.unlock();
                                    } catch (LeaseLostException e) {
                                        told.get().put(name(), e);
                                        throw e;
                                    } catch (IllegalMonitorStateException e) {
                                        throw told.get().containsKey(name())
                                                ? told.get().get(name())
                                                : e;
                                    }
                                }
                            };
                        },
                        "2.23",
                        "3.17"),
                ofEachClient(
                        "aThreadReEntersWhatItHasLost",
                        () -> {
                            ThreadLocal<Map<String, Integer>> holds = ThreadLocal.withInitial(HashMap::new);
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public void lock() {
                                    if (holds.get().getOrDefault(name(), 0) == 0) {
                                        super.lock();
                                    }
                                    holds.get().merge(name(), 1, Integer::sum);
                                }

                                @Override
                                public int getHoldCount() {
                                    int correct = super.getHoldCount();
                                    return correct == 0
                                            ? 0
                                            : correct - 1 + holds.get().getOrDefault(name(), 1);
                                }

                                @Override
                                public void unlock() {
                                    if (holds.get().merge(name(), -1, Integer::sum) <= 0) {
                                        holds.get().remove(name());
                                        super.unlock();
                                    } else if (!isHeldByCurrentThread()) {
                                        super.unlock();
                                    }
                                }
                            };
                        },
                        "2.24",
                        "2.25",
                        "2.32",
                        "2.35",
                        "2.36",
                        "2.37",
                        "2.38",
                        "2.39",
                        "2.40",
                        "3.17",
                        "3.18",
                        "3.21",
                        "10.18",
                        "15.20"),
                ofEachClient(
                        "aLossOutlivesAFreshHold",
                        () -> {
                            ThreadLocal<Set<String>> told = ThreadLocal.withInitial(HashSet::new);
                            return lock -> new ForwardingLock(lock) {
                                @Override
                                public boolean isHeldByCurrentThread() {
                                    boolean held = super.isHeldByCurrentThread();
                                    if (!held) {
                                        told.get().add(name());
                                    }
                                    return held;
                                }

                                @Override
                                public void unlock() {
                                    try {
                                        super.unlock();
                                    } catch (LeaseLostException e) {
                                        told.get().remove(name());
                                        throw e;
                                    } catch (IllegalMonitorStateException e) {
                                        throw told.get().remove(name())
                                                ? new LeaseLostException(name(), LossCause.EXPIRED)
                                                : e;
                                    }
                                }
                            };
                        },
                        "2.25",
                        "2.35"),
                ofEachClient(
                        "aThreadIsKnownByItsEquals",
                        () -> {
                            Map<String, Thread> holders = new ConcurrentHashMap<>();
                            return lock -> new LockOfRelatives(lock) {
                                @Override
                                Map<String, Thread> holders() {
                                    return holders;
                                }

                                @Override
                                boolean isRelatedTo(Thread holder) {
                                    return holder.equals(Thread.currentThread());
                                }
                            };
                        },
                        "2.42"),
                new WithBackDoor("aHolderThatLostTheLockFreesIt", "2.26", "2.27", "2.28") {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    free(name());
                                    throw e;
                                }
                            }

                            @Override
                            protected LockHandle spoil(LockHandle handle) {
                                return new ForwardingHandle(handle) {
                                    @Override
                                    public void close() {
                                        try {
                                            super.close();
                                        } catch (LeaseLostException e) {
                                            free(lockName());
                                            throw e;
                                        }
                                    }
                                };
                            }
                        };
                    }
                },
                new WrongLock("aReleaseDoesNotCompareTheToken", "2.28") {
                    @Override
                    protected MemoryServer server() {
                        return new MemoryServer() {
                            @Override
                            protected Release release(Claim claim) {
                                Release release = super.release(claim);
                                remove(claim.name());
                                return release;
                            }
                        };
                    }
                },
                ofEachLock(
                        "exceptionsDoNotNameTheLock",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    throw e;
                                } catch (IllegalMonitorStateException e) {
                                    throw new IllegalMonitorStateException();
                                }
                            }
                        },
                        "2.29"),
                new WrongLock("newConditionReturnsALocalOne", "2.30") {
                    @Override
                    protected StrategyProfile profile() {
                        return super.profile().without(Capability.CONDITIONS);
                    }

                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            protected DistributedLock spoil(DistributedLock lock) {
                                return new ForwardingLock(lock) {
                                    @Override
                                    public Condition newCondition() {
                                        return new ReentrantLock().newCondition();
                                    }
                                };
                            }
                        };
                    }
                });
    }

    // The chapters that follow use these too.

    /** A wrong lock whose lock objects are broken, each by itself. */
    static WrongLock ofEachLock(String name, UnaryOperator<DistributedLock> spoiler, String... breaks) {
        return ofEachClient(name, () -> spoiler, breaks);
    }

    /** A wrong lock whose lock objects share broken state within one client. */
    static WrongLock ofEachClient(String name, Supplier<UnaryOperator<DistributedLock>> spoilers, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                UnaryOperator<DistributedLock> spoiler = spoilers.get();
                return new ForwardingFactory(correct) {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return spoiler.apply(lock);
                    }
                };
            }
        };
    }

    /** A lock whose objects reach the server themselves, past the engine. */
    abstract static class WithBackDoor extends WrongLock {
        private final Map<String, Runnable> frees = new ConcurrentHashMap<>();
        private final Map<String, LeaseProtocol> protocols = new ConcurrentHashMap<>();

        WithBackDoor(String name, String... breaks) {
            super(name, breaks);
        }

        abstract DistributedLock spoil(DistributedLock lock);

        @Override
        protected final LeaseProtocol protocol(MemoryServer server, LockConfig config) {
            return new MemoryProtocol(server, config.commandTimeout()) {
                @Override
                public Attempt attempt(Claim claim) {
                    Attempt attempt = super.attempt(claim);
                    if (attempt instanceof Attempt.Granted) {
                        frees.put(claim.name(), () -> release(claim));
                        protocols.put(claim.name(), this);
                    }
                    return attempt;
                }
            };
        }

        @Override
        protected final DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            return new ForwardingFactory(correct) {
                @Override
                protected DistributedLock spoil(DistributedLock lock) {
                    return WithBackDoor.this.spoil(lock);
                }
            };
        }

        /** Frees a lock, whoever holds it. */
        final void free(String name) {
            frees.getOrDefault(name, () -> {}).run();
        }

        /** Asks the server something about a lock, once it was held. */
        final void ask(String name) {
            LeaseProtocol protocol = protocols.get(name);
            if (protocol != null) {
                protocol.release(new Claim(name, "of nobody", Duration.ofSeconds(1), Duration.ofSeconds(1), 1));
            }
        }
    }

    /** A lock with a hook after each acquisition by the current thread, re-entry included. */
    abstract static class ObservedLock extends ForwardingLock {
        ObservedLock(DistributedLock correct) {
            super(correct);
        }

        abstract void acquired();

        @Override
        public void lock() {
            super.lock();
            acquired();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            super.lockInterruptibly();
            acquired();
        }

        @Override
        public boolean tryLock() {
            return seen(super.tryLock());
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return seen(super.tryLock(time, unit));
        }

        private boolean seen(boolean has) {
            if (has) {
                acquired();
            }
            return has;
        }
    }

    /** A lock that takes other threads for the holder. */
    abstract static class LockOfRelatives extends ObservedLock {
        LockOfRelatives(DistributedLock correct) {
            super(correct);
        }

        abstract Map<String, Thread> holders();

        abstract boolean isRelatedTo(Thread holder);

        @Override
        void acquired() {
            holders().put(name(), Thread.currentThread());
        }

        @Override
        public boolean isHeldByCurrentThread() {
            Thread holder = holders().get(name());
            boolean others = holder != null && holder != Thread.currentThread() && isRelatedTo(holder);
            // One that comes back from a wait for a condition has not been seen to acquire the lock.
            return others || super.isHeldByCurrentThread();
        }

        @Override
        public void unlock() {
            super.unlock();
            holders().remove(name());
        }
    }

    /** A lease whose close is the unlock of its thread. */
    private static final class CloseableLease extends ForwardingLease implements LockHandle {
        private final DistributedLock lock;

        CloseableLease(Lease correct, DistributedLock lock) {
            super(correct);
            this.lock = lock;
        }

        @Override
        public void close() {
            lock.unlock();
        }
    }
}
