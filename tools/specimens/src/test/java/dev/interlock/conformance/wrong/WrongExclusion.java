// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

final class WrongExclusion {
    private WrongExclusion() {}

    static List<WrongLock> locks() {
        return List.of(
                new WrongLock(
                        "theServerGrantsToEverybody",
                        "1.2",
                        "1.6",
                        "1.7",
                        "1.9",
                        "1.11",
                        "1.12",
                        "1.13",
                        "1.15",
                        "1.18",
                        "4.1",
                        "1.17") {
                    @Override
                    protected MemoryServer server() {
                        return new MemoryServer() {
                            @Override
                            protected Attempt attempt(Claim claim) {
                                put(claim);
                                return new Attempt.Granted(claim.lease(), nextFence(claim));
                            }
                        };
                    }
                },
                new WrongLock("theLockIsLookedAtAndThenTaken", "1.7", "1.9", "1.12", "1.18", "1.17") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new LookThenTake(server, config.commandTimeout());
                    }
                },
                new WrongLock(
                        "theWholeClientIsTheOwner",
                        "1.3",
                        "1.4",
                        "1.7",
                        "1.8",
                        "1.12",
                        "1.13",
                        "1.14",
                        "1.18",
                        "1.16",
                        "1.17") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        Map<List<Object>, Holds> holds = new ConcurrentHashMap<>();
                        return spoiled(correct, lock -> new OwnerLock(lock, holds, () -> "the client"));
                    }
                },
                new WrongLock("threadsAreToldApartByTheirNames", "1.16", "1.17") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        Map<List<Object>, Holds> holds = new ConcurrentHashMap<>();
                        return spoiled(
                                correct,
                                lock -> new OwnerLock(
                                        lock,
                                        holds,
                                        () -> Thread.currentThread().getName()));
                    }
                },
                new WrongLock("eachLockObjectCountsByItself", "1.4") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(
                                correct, lock -> new OwnerLock(lock, new ConcurrentHashMap<>(), Thread::currentThread));
                    }
                },
                new WrongLock("allNamesAreOneLock", "1.5", "1.15") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return renamed(correct, name -> "the lock");
                    }
                },
                new WrongLock("theHashCodeOfTheNameIsTheLock", "1.5") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return renamed(correct, name -> Integer.toString(name.hashCode()));
                    }
                },
                new WrongLock("handlesAndThreadsHaveDifferentKeys", "1.10", "1.11", "1.12", "1.18", "1.17") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(
                                correct, lock -> new HandlesElsewhere(lock, correct.getLock("handle " + lock.name())));
                    }
                },
                new WrongLock("unlockFreesWhatWasLockedLast", "1.15") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        ThreadLocal<Deque<DistributedLock>> stack = ThreadLocal.withInitial(ArrayDeque::new);
                        return spoiled(correct, lock -> new StackedLock(lock, stack));
                    }
                },
                new WrongLock("anyUnlockFreesTheLock", "1.13") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(correct, lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                do {
                                    super.unlock();
                                } while (isHeldByCurrentThread());
                            }
                        });
                    }
                },
                new WrongLock("anInterruptIsTakenForAGrant", "1.18") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(correct, lock -> new ForwardingLock(lock) {
                            @Override
                            public void lockInterruptibly() {
                                try {
                                    super.lockInterruptibly();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        });
                    }
                },
                new WrongLock("aFreeLockIsRefusedAtTheFirstTry", "1.1", "1.6", "5.2") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(correct, RefusesAtFirst::new);
                    }
                },
                new WrongLock("aLockIsKeptForTheClientThatHadItFirst", "1.6") {
                    @Override
                    protected MemoryServer server() {
                        return new BiasedServer();
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return ((BiasedServer) server).clientOf(super.protocol(server, config));
                    }
                },
                new WrongLock("nobodyIsKnownToHoldTheLock", "1.1", "1.4", "5.2") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return spoiled(correct, lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean isHeldByCurrentThread() {
                                return false;
                            }
                        });
                    }
                });
    }

    private static DistributedLockFactory spoiled(
            DistributedLockFactory correct, UnaryOperator<DistributedLock> spoiler) {
        return new ForwardingFactory(correct) {
            @Override
            protected DistributedLock spoil(DistributedLock lock) {
                return spoiler.apply(lock);
            }
        };
    }

    private static DistributedLockFactory renamed(DistributedLockFactory correct, UnaryOperator<String> names) {
        return new ForwardingFactory(correct) {
            @Override
            public DistributedLock getLock(String name) {
                return named(name, super.getLock(names.apply(name)));
            }

            @Override
            public DistributedLock getLock(String name, LockOptions options) {
                return named(name, super.getLock(names.apply(name), options));
            }
        };
    }

    private static DistributedLock named(String name, DistributedLock lock) {
        return new ForwardingLock(lock) {
            @Override
            public String name() {
                return name;
            }
        };
    }

    private static final class LookThenTake extends MemoryProtocol {
        private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
        private final MemoryServer server;
        private final Duration timeout;

        LookThenTake(MemoryServer server, Duration timeout) {
            super(server, timeout);
            this.server = server;
            this.timeout = timeout;
        }

        @Override
        public Attempt attempt(Claim claim) {
            if (server.request(timeout, () -> server.live(claim.name()) != null)) {
                return new Attempt.Refused(Optional.empty());
            }
            LockSupport.parkNanos(GAP_NANOS);
            return server.request(timeout, () -> {
                server.put(claim);
                return new Attempt.Granted(claim.lease(), server.nextFence(claim));
            });
        }
    }

    /** A lock object that refuses the lock when it is asked first, whether somebody holds it or not. */
    private static final class RefusesAtFirst extends ForwardingLock {
        private final AtomicBoolean asked = new AtomicBoolean();

        RefusesAtFirst(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock() {
            return asked.getAndSet(true) && super.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return asked.getAndSet(true) && super.tryLock(time, unit);
        }
    }

    /** A server that grants each name only to the client that asked for it first. */
    private static final class BiasedServer extends MemoryServer {
        private final Map<String, LeaseProtocol> firstClients = new ConcurrentHashMap<>();

        LeaseProtocol clientOf(LeaseProtocol correct) {
            return new ForwardingProtocol(correct) {
                @Override
                public Attempt attempt(Claim claim) {
                    return firstClients.computeIfAbsent(claim.name(), name -> this) == this
                            ? super.attempt(claim)
                            : new Attempt.Refused(Optional.empty());
                }
            };
        }
    }

    /** The holds of one owner. */
    private static final class Holds {
        final LockHandle lease;
        int count = 1;

        Holds(LockHandle lease) {
            this.lease = lease;
        }
    }

    /** A lock on top of handles whose owner is any object. */
    private static final class OwnerLock extends ForwardingLock {
        private final Map<List<Object>, Holds> holds;
        private final Supplier<Object> owner;

        OwnerLock(DistributedLock correct, Map<List<Object>, Holds> holds, Supplier<Object> owner) {
            super(correct);
            this.holds = holds;
            this.owner = owner;
        }

        private List<Object> key() {
            return List.of(name(), owner.get());
        }

        private boolean again() {
            return holds.computeIfPresent(key(), (key, held) -> {
                        held.count++;
                        return held;
                    })
                    != null;
        }

        @Override
        public void lock() {
            boolean interrupted = false;
            while (true) {
                try {
                    lockInterruptibly();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            if (!again()) {
                holds.put(key(), new Holds(correct.acquire()));
            }
        }

        @Override
        public boolean tryLock() {
            boolean interrupted = Thread.interrupted();
            try {
                return tryLock(0, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
                return false;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            if (again()) {
                return true;
            }
            Optional<LockHandle> lease = correct.tryAcquire(Duration.ofNanos(unit.toNanos(time)));
            lease.ifPresent(it -> holds.put(key(), new Holds(it)));
            return lease.isPresent();
        }

        @Override
        public void unlock() {
            Holds held = holds.get(key());
            if (held == null) {
                throw new IllegalMonitorStateException();
            }
            if (--held.count == 0) {
                holds.remove(key());
                held.lease.close();
            }
        }

        @Override
        public boolean isHeldByCurrentThread() {
            return holds.containsKey(key());
        }

        @Override
        public int getHoldCount() {
            Holds held = holds.get(key());
            return held == null ? 0 : held.count;
        }

        @Override
        public Optional<Lease> lease() {
            return Optional.ofNullable(holds.get(key())).map(held -> held.lease);
        }
    }

    private static final class HandlesElsewhere extends ForwardingLock {
        private final DistributedLock elsewhere;

        HandlesElsewhere(DistributedLock correct, DistributedLock elsewhere) {
            super(correct);
            this.elsewhere = elsewhere;
        }

        @Override
        public LockHandle acquire() throws InterruptedException {
            return elsewhere.acquire();
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
            return elsewhere.tryAcquire(wait);
        }
    }

    private static final class StackedLock extends ForwardingLock {
        private final ThreadLocal<Deque<DistributedLock>> stack;

        StackedLock(DistributedLock correct, ThreadLocal<Deque<DistributedLock>> stack) {
            super(correct);
            this.stack = stack;
        }

        @Override
        public void lock() {
            super.lock();
            stack.get().push(correct);
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            super.lockInterruptibly();
            stack.get().push(correct);
        }

        @Override
        public boolean tryLock() {
            return pushed(super.tryLock());
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return pushed(super.tryLock(time, unit));
        }

        private boolean pushed(boolean locked) {
            if (locked) {
                stack.get().push(correct);
            }
            return locked;
        }

        @Override
        public void unlock() {
            DistributedLock last = stack.get().poll();
            (last == null ? correct : last).unlock();
        }
    }
}
