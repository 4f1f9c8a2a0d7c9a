// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

final class WrongInterrupts {
    private WrongInterrupts() {}

    static List<WrongLock> locks() {
        return List.of(
                theInterruptForALossIsLate(),
                aLossEndsTheNextAcquisition(),
                anInterruptOfTheGroupEndsRenewal(),
                WrongOwnership.ofEachLock(
                        "lockSwallowsTheInterrupt",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void lock() {
                                super.lock();
                                Thread.interrupted();
                            }
                        },
                        "4.1",
                        "4.2",
                        "4.22",
                        "15.6",
                        "15.24"),
                WrongOwnership.ofEachLock(
                        "lockReturnsWithoutTheLockWhenInterrupted",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void lock() {
                                try {
                                    super.lockInterruptibly();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        },
                        "4.1",
                        "4.2",
                        "4.3",
                        "4.22"),
                WrongOwnership.ofEachLock(
                        "anInterruptOnEntryIsIgnored",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) throws InterruptedException {
                                boolean interrupted = Thread.interrupted();
                                try {
                                    return call.run();
                                } finally {
                                    if (interrupted) {
                                        Thread.currentThread().interrupt();
                                    }
                                }
                            }
                        },
                        "3.19",
                        "4.4",
                        "4.9",
                        "4.11",
                        "4.13",
                        "15.24"),
                WrongOwnership.ofEachLock(
                        "anInterruptedWaiterFailsWithAnotherException",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void lockInterruptibly() throws InterruptedException {
                                try {
                                    super.lockInterruptibly();
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException("interrupted", e);
                                }
                            }
                        },
                        "3.19",
                        "4.4",
                        "4.5",
                        "4.6"),
                WrongOwnership.ofEachLock(
                        "anInterruptIsThrownAndKept",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) throws InterruptedException {
                                try {
                                    return call.run();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                    throw e;
                                }
                            }
                        },
                        "3.19",
                        "4.4",
                        "4.5",
                        "4.6",
                        "4.9",
                        "4.10",
                        "4.11",
                        "4.12",
                        "4.13",
                        "4.14",
                        "4.19",
                        "4.20",
                        "4.23"),
                WrongOwnership.ofEachLock(
                        "anInterruptIsTakenForARefusal",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) {
                                try {
                                    return call.run();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                    if (otherwise == null) {
                                        throw new IllegalStateException("the lock could not be acquired", e);
                                    }
                                    return otherwise;
                                }
                            }
                        },
                        "3.19",
                        "4.4",
                        "4.5",
                        "4.6",
                        "4.9",
                        "4.10",
                        "4.11",
                        "4.12",
                        "4.13",
                        "4.14",
                        "4.19",
                        "4.20",
                        "4.23"),
                WrongOwnership.ofEachLock(
                        "anInterruptedWaiterStaysInTheQueue",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) throws InterruptedException {
                                boolean waited = !Thread.currentThread().isInterrupted();
                                try {
                                    return call.run();
                                } catch (InterruptedException e) {
                                    if (waited) {
                                        beginToHaunt(correct);
                                    }
                                    throw e;
                                }
                            }
                        },
                        "4.5",
                        "4.6",
                        "4.10",
                        "4.12",
                        "4.14",
                        "4.19",
                        "4.20",
                        "4.23"),
                WrongOwnership.ofEachLock(
                        "anInterruptAfterTheGrantLeavesTheLockHeld",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) throws InterruptedException {
                                T result = call.run();
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                                if (Thread.interrupted()) {
                                    throw new InterruptedException();
                                }
                                return result;
                            }
                        },
                        "4.19",
                        "4.20",
                        "15.25"),
                WrongOwnership.ofEachLock(
                        "anInterruptAtTheEndOfTheTimeIsForgotten",
                        lock -> new InterruptibleCalls(lock) {
                            @Override
                            <T> T call(Call<T> call, T otherwise) throws InterruptedException {
                                T result = call.run();
                                if (result.equals(otherwise)) {
                                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                                    Thread.interrupted();
                                }
                                return result;
                            }
                        },
                        "4.27"),
                WrongOwnership.ofEachLock(
                        "anInterruptedThreadIsRefused",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean tryLock() {
                                return !Thread.currentThread().isInterrupted() && super.tryLock();
                            }
                        },
                        "4.7",
                        "4.26"),
                WrongOwnership.ofEachLock(
                        "anInterruptEndsTheRequestOfAVirtualThread",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean tryLock() {
                                boolean has = super.tryLock();
                                ThreadGroup group = Thread.currentThread().getThreadGroup();
                                if (has
                                        && Thread.currentThread().isInterrupted()
                                        && group.getName().equals("VirtualThreads")) {
                                    super.unlock();
                                    throw new LockBackendException(
                                            LockBackendException.Reason.OUTCOME_UNKNOWN, "the socket was closed");
                                }
                                return has;
                            }
                        },
                        "4.26"),
                WrongOwnership.ofEachLock(
                        "tryLockSwallowsTheInterrupt",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean tryLock() {
                                boolean has = super.tryLock();
                                Thread.interrupted();
                                return has;
                            }
                        },
                        "4.7",
                        "4.8"),
                WrongOwnership.ofEachLock(
                        "anInterruptedThreadCannotTalkToTheBackend",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public void unlock() {
                                failIfInterrupted();
                                super.unlock();
                            }

                            @Override
                            protected Lease spoil(Lease lease) {
                                return new ForwardingLease(lease) {
                                    @Override
                                    public void ensureValid(Duration atLeast) {
                                        failIfInterrupted();
                                        super.ensureValid(atLeast);
                                    }
                                };
                            }

                            @Override
                            protected LockHandle spoil(LockHandle handle) {
                                return new ForwardingHandle(super.spoil(handle)) {
                                    @Override
                                    public void close() {
                                        failIfInterrupted();
                                        super.close();
                                    }
                                };
                            }

                            private void failIfInterrupted() {
                                if (Thread.currentThread().isInterrupted()) {
                                    throw new LockBackendException(
                                            LockBackendException.Reason.UNREACHABLE,
                                            "interrupted while it waited for the answer");
                                }
                            }
                        },
                        "4.2",
                        "4.3",
                        "4.15",
                        "4.16",
                        "4.17",
                        "4.19",
                        "4.20",
                        "4.26"),
                WrongOwnership.ofEachLock(
                        "queriesSwallowTheInterrupt",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public boolean isHeldByCurrentThread() {
                                Thread.interrupted();
                                return super.isHeldByCurrentThread();
                            }
                        },
                        "4.18"),
                new WrongLock("aRequestWithoutAnAnswerIsNotUndone", "15.22", "4.21") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        Set<String> granted = ConcurrentHashMap.newKeySet();
                        return new MemoryProtocol(server, config.commandTimeout()) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                Attempt attempt = super.attempt(claim);
                                if (attempt instanceof Attempt.Granted) {
                                    granted.add(claim.token());
                                }
                                return attempt;
                            }

                            @Override
                            public Release release(Claim claim) {
                                return granted.contains(claim.token())
                                        ? super.release(claim)
                                        : new Release.Lost(LossCause.GONE);
                            }
                        };
                    }
                });
    }

    private static void beginToHaunt(DistributedLock lock) {
        Thread ghost = new Thread(
                () -> {
                    try {
                        lock.acquire();
                    } catch (InterruptedException | IllegalStateException e) {
                        // The factory was closed.
                    }
                },
                "ghost");
        ghost.setDaemon(true);
        ghost.start();
        Waits.eventually("the ghost waits", () -> ghost.getState() != Thread.State.RUNNABLE);
    }

    /** A lock whose interruptible calls are broken. */
    abstract static class InterruptibleCalls extends ForwardingLock {
        InterruptibleCalls(DistributedLock correct) {
            super(correct);
        }

        interface Call<T> {
            T run() throws InterruptedException;
        }

        /**
         * Makes a call that may end by an interrupt.
         *
         * @param otherwise what says that the lock was not acquired, or {@code null} if nothing can
         */
        abstract <T> T call(Call<T> call, T otherwise) throws InterruptedException;

        @Override
        public void lockInterruptibly() throws InterruptedException {
            call(
                    () -> {
                        super.lockInterruptibly();
                        return true;
                    },
                    null);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return call(() -> super.tryLock(time, unit), false);
        }

        @Override
        public LockHandle acquire() throws InterruptedException {
            return call(super::acquire, null);
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
            return call(() -> super.tryAcquire(wait), Optional.empty());
        }
    }

    private static WrongLock theInterruptForALossIsLate() {
        return new WrongLock("theInterruptForALossIsLate", "6.40") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedLock getLock(String name, LockOptions options) {
                        return new ForwardingLock(correct.getLock(name, options)) {
                            @Override
                            public void unlock() {
                                try {
                                    super.unlock();
                                } catch (LeaseLostException e) {
                                    if (options.interruptOnLoss()) {
                                        Thread loser = Thread.currentThread();
                                        // A thread of its own, since those that are shared may be busy for long.
                                        new Thread(() -> {
                                                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                                                    loser.interrupt();
                                                })
                                                .start();
                                    }
                                    throw e;
                                }
                            }
                        };
                    }
                };
            }
        };
    }

    private static WrongLock aLossEndsTheNextAcquisition() {
        return WrongOwnership.ofEachClient(
                "aLossEndsTheNextAcquisition",
                () -> {
                    ThreadLocal<Boolean> lost = ThreadLocal.withInitial(() -> false);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lockInterruptibly() throws InterruptedException {
                            if (lost.get()) {
                                lost.remove();
                                throw new InterruptedException();
                            }
                            super.lockInterruptibly();
                        }

                        @Override
                        public void unlock() {
                            try {
                                super.unlock();
                            } catch (LeaseLostException e) {
                                lost.set(true);
                                throw e;
                            }
                        }
                    };
                },
                "6.41");
    }

    private static WrongLock anInterruptOfTheGroupEndsRenewal() {
        return new WrongLock("anInterruptOfTheGroupEndsRenewal", "6.42") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new RenewedByAThread(super.protocol(server, config));
            }
        };
    }

    /** Renews for as long as nobody interrupts the thread that the first acquisition has started. */
    private static final class RenewedByAThread extends ForwardingProtocol {
        private final AtomicBoolean started = new AtomicBoolean();
        private volatile boolean ended;

        RenewedByAThread(LeaseProtocol correct) {
            super(correct);
        }

        @Override
        public Attempt attempt(Claim claim) {
            if (!started.getAndSet(true)) {
                Thread renewer = new Thread(() -> {
                    LockSupport.park();
                    ended = true;
                });
                renewer.setDaemon(true);
                renewer.start();
            }
            return super.attempt(claim);
        }

        @Override
        public List<Renewal> renew(List<Claim> claims) {
            return ended ? claims.stream().map(claim -> failed()).toList() : super.renew(claims);
        }

        private static Renewal failed() {
            return new Renewal.Failed(
                    new LockBackendException(LockBackendException.Reason.UNREACHABLE, "nobody renews"));
        }
    }
}
