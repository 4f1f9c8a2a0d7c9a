// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import static dev.interlock.conformance.wrong.WrongTimedWaits.spoilt;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/** Locks whose views with another lease are wrong, or whose calls that ask the backend once are. */
final class WrongViews {
    private WrongViews() {}

    static List<WrongLock> locks() {
        return List.of(
                withViews("reEntryThroughAViewSetsTheLease", (lock, view) -> new SetsTheLease(view), "3.25"),
                withViews("onlyWhatWaitsUsesTheLeaseOfAView", TriesWithoutTheView::new, "6.44"),
                withViews("stagesDoNotUseTheLeaseOfAView", StagesWithoutTheView::new, "6.44"),
                aViewOfALongLeaseIgnoresMaxHold(),
                aViewHasDefaultsOtherwise(),
                WrongLeases.withLeases("aListenerCanBeCancelledAfterTheLoss", CancelledAnytime::new, "6.46"),
                WrongLeases.withLeases("cancellingWaitsForTheListener", WaitsToCancel::new, "6.46"),
                spoilt("isLockedSwallowsTheInterrupt", () -> SwallowsTheInterrupt::new, "4.25"),
                spoilt(
                        "tryAcquireCallsAnOutageTaken",
                        () -> lock -> new EmptyAt(lock, LockBackendException.class),
                        "9.33"),
                spoilt(
                        "tryAcquireCallsAClosedLockTaken",
                        () -> lock -> new EmptyAt(lock, IllegalStateException.class),
                        "11.21"),
                spoilt("isLockedIsFalseAfterClose", () -> FreeWhenClosed::new, "11.21"));
    }

    /** A lock whose views are made of the lock and of its correct view. */
    private static WrongLock withViews(String name, BinaryOperator<DistributedLock> view, String... breaks) {
        return spoilt(
                name,
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public DistributedLock withLease(Duration lease) {
                        return view.apply(correct, correct.withLease(lease));
                    }
                },
                breaks);
    }

    private static final class SetsTheLease extends ForwardingLock {
        SetsTheLease(DistributedLock view) {
            super(view);
        }

        @Override
        public void lock() {
            boolean again = isHeldByCurrentThread();
            super.lock();
            if (again) {
                lease().orElseThrow()
                        .ensureValid(lease().orElseThrow().remaining().multipliedBy(2));
            }
        }
    }

    private static final class TriesWithoutTheView extends ForwardingLock {
        private final DistributedLock lock;

        TriesWithoutTheView(DistributedLock lock, DistributedLock view) {
            super(view);
            this.lock = lock;
        }

        @Override
        public boolean tryLock() {
            return lock.tryLock();
        }

        @Override
        public Optional<LockHandle> tryAcquire() {
            return lock.tryAcquire();
        }
    }

    private static final class StagesWithoutTheView extends ForwardingLock {
        private final DistributedLock lock;

        StagesWithoutTheView(DistributedLock lock, DistributedLock view) {
            super(view);
            this.lock = lock;
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync() {
            return lock.acquireAsync();
        }

        @Override
        public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return lock.tryAcquireAsync(wait);
        }
    }

    private static WrongLock aViewOfALongLeaseIgnoresMaxHold() {
        return spoilt(
                "aViewOfALongLeaseIgnoresMaxHold",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public DistributedLock withLease(Duration lease) {
                        LockOptions.builder().lease(lease).build();
                        try {
                            return correct.withLease(lease);
                        } catch (IllegalArgumentException e) {
                            return this;
                        }
                    }
                },
                "6.44");
    }

    private static WrongLock aViewHasDefaultsOtherwise() {
        return new WrongLock("aViewHasDefaultsOtherwise", "6.45") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory factory, LockConfig config) {
                return new ForwardingFactory(factory) {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            public DistributedLock withLease(Duration lease) {
                                return factory.getLock(
                                        name(),
                                        LockOptions.builder().lease(lease).build());
                            }
                        };
                    }
                };
            }
        };
    }

    private static final class CancelledAnytime extends ForwardingLease {
        CancelledAnytime(Lease correct) {
            super(correct);
        }

        @Override
        public Registration onLoss(Consumer<? super LossCause> action) {
            AtomicBoolean cancelled = new AtomicBoolean();
            super.onLoss(cause -> {
                if (!cancelled.get()) {
                    action.accept(cause);
                }
            });
            return () -> cancelled.set(true);
        }
    }

    private static final class WaitsToCancel extends ForwardingLease {
        WaitsToCancel(Lease correct) {
            super(correct);
        }

        @Override
        public Registration onLoss(Consumer<? super LossCause> action) {
            Object monitor = new Object();
            Registration registration = super.onLoss(cause -> {
                synchronized (monitor) {
                    action.accept(cause);
                }
            });
            return () -> {
                synchronized (monitor) {
                    registration.cancel();
                }
            };
        }
    }

    private static final class SwallowsTheInterrupt extends ForwardingLock {
        SwallowsTheInterrupt(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean isLocked() {
            Thread.interrupted();
            return super.isLocked();
        }
    }

    private static final class EmptyAt extends ForwardingLock {
        private final Class<? extends RuntimeException> failure;

        EmptyAt(DistributedLock correct, Class<? extends RuntimeException> failure) {
            super(correct);
            this.failure = failure;
        }

        @Override
        public Optional<LockHandle> tryAcquire() {
            try {
                return super.tryAcquire();
            } catch (RuntimeException e) {
                if (failure.isInstance(e)) {
                    return Optional.empty();
                }
                throw e;
            }
        }
    }

    private static final class FreeWhenClosed extends ForwardingLock {
        FreeWhenClosed(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean isLocked() {
            try {
                return super.isLocked();
            } catch (IllegalStateException e) {
                return false;
            }
        }
    }
}
