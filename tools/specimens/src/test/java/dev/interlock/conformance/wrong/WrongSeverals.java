// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.SumOfLocks.Flaw;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Locks that are wrong over several names, and correct over a single name. */
final class WrongSeverals {
    private WrongSeverals() {}

    /** Makes the lock over several names of a factory that is correct otherwise. */
    private interface Maker {
        DistributedLock make(DistributedLockFactory correct, Collection<String> names, LockOptions options);
    }

    static List<WrongLock> locks() {
        return List.of(
                sum("aWholeIsTheSumOfItsLocks", "15.10", "15.11", "15.12", "15.13", "15.19", "15.20", "15.21"),
                sum("namesAreTakenAsTheyAreGiven", Flaw.UNORDERED, "15.3", "15.4"),
                sum("aRefusalKeepsTheNamesBeforeIt", Flaw.KEEPS_AT_REFUSAL, "15.2"),
                sum("aFailureKeepsTheNamesBeforeIt", Flaw.KEEPS_AT_FAILURE, "15.6", "15.7"),
                sum("eachNameHasTheWholeTime", Flaw.TIME_FOR_EACH, "15.5"),
                sum("onlyTheFirstNameIsRenewed", Flaw.RENEWS_THE_FIRST, "15.16"),
                sum("unlockGivesUpEveryHoldOfEachName", Flaw.UNLOCKS_ALL_HOLDS, "15.9"),
                several(
                        "onlyTheFirstNameIsLocked",
                        (correct, names, options) -> correct.getLock(
                                names.stream().sorted().findFirst().orElseThrow(), options),
                        "15.1",
                        "15.2",
                        "15.4",
                        "15.14",
                        "15.16",
                        "15.18",
                        "16.14",
                        "16.15"),
                several("aThreadThatLostTheLockIsRefusedForAWhile", RefusesAfterLosses::new, "15.20"),
                several("namesAreOrderedAsTextsOfJava", OrderedAsTexts::new, "15.3"),
                several("aWholeThatIsHeldIsNotCountedAgain", EnteredOnce::new, "15.8"),
                several("aHandleOverSeveralNamesIsClosedByItsThreadAlone", OfOneThread::new, "15.14"),
                several("aNameKeepsItsFirstToken", FirstTokens::new, "15.15"),
                several("aLossIsToldOfAsIfItWereARelease", TellsOfARelease::new, "15.26"),
                several("isLockedAsksForTheFirstNameAlone", AsksForTheFirst::new, "15.18"),
                several(
                        "aLockOverOneNameIsAnotherOne",
                        (correct, names, options) -> names.stream().distinct().count() == 1
                                ? correct.getLock(names.toString(), options)
                                : correct.getLock(names, options),
                        "15.17"));
    }

    private static WrongLock several(String name, Maker maker, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedLock getLock(Collection<String> names) {
                        return getLock(names, config.lockDefaults());
                    }

                    @Override
                    public DistributedLock getLock(Collection<String> names, LockOptions options) {
                        return maker.make(correct, names, options);
                    }
                };
            }
        };
    }

    private static WrongLock sum(String name, String... breaks) {
        return several(
                name,
                (correct, names, options) -> new SumOfLocks(correct, names, options, EnumSet.noneOf(Flaw.class)),
                breaks);
    }

    private static WrongLock sum(String name, Flaw flaw, String... breaks) {
        return several(
                name, (correct, names, options) -> new SumOfLocks(correct, names, options, EnumSet.of(flaw)), breaks);
    }

    private static final class OrderedAsTexts extends ForwardingLock {
        OrderedAsTexts(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        public List<String> names() {
            return super.names().stream().sorted().toList();
        }
    }

    private static final class EnteredOnce extends ForwardingLock {
        EnteredOnce(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            if (!isHeldByCurrentThread()) {
                super.lockInterruptibly();
            }
        }
    }

    /** Is used by one thread, by {@code lock()} alone. */
    private static final class RefusesAfterLosses extends ForwardingLock {
        private volatile boolean acquired;
        private volatile long lostNanos = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

        RefusesAfterLosses(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        public void lock() {
            if (System.nanoTime() - lostNanos < TimeUnit.SECONDS.toNanos(1)) {
                throw new IllegalStateException("the other names are not given back yet");
            }
            super.lock();
            acquired = true;
        }

        @Override
        public boolean isHeldByCurrentThread() {
            boolean held = super.isHeldByCurrentThread();
            if (acquired && !held) {
                acquired = false;
                lostNanos = System.nanoTime();
            }
            return held;
        }
    }

    private static final class TellsOfARelease extends ForwardingLock {
        TellsOfARelease(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        protected Lease spoil(Lease lease) {
            return new ForwardingLease(lease) {
                @Override
                public void ensureValid(Duration atLeast) {
                    boolean wasValid = isValid();
                    try {
                        super.ensureValid(atLeast);
                    } catch (LeaseLostException e) {
                        throw wasValid ? new IllegalStateException("a part was given up", e) : e;
                    }
                }
            };
        }
    }

    private static final class OfOneThread extends ForwardingLock {
        OfOneThread(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        protected LockHandle spoil(LockHandle handle) {
            Thread owner = Thread.currentThread();
            return new ForwardingHandle(handle) {
                @Override
                public void close() {
                    if (!Thread.currentThread().equals(owner)) {
                        throw new IllegalMonitorStateException(lockName());
                    }
                    super.close();
                }
            };
        }
    }

    private static final class FirstTokens extends ForwardingLock {
        private static final Map<String, OptionalLong> FIRST = new ConcurrentHashMap<>();

        FirstTokens(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
        }

        @Override
        protected Lease spoil(Lease lease) {
            return new ForwardingLease(lease) {
                @Override
                public OptionalLong fencingToken(String name) {
                    return FIRST.computeIfAbsent(name, super::fencingToken);
                }
            };
        }
    }

    private static final class AsksForTheFirst extends ForwardingLock {
        private final DistributedLock first;

        AsksForTheFirst(DistributedLockFactory correct, Collection<String> names, LockOptions options) {
            super(correct.getLock(names, options));
            this.first = correct.getLock(names().get(0), options);
        }

        @Override
        public boolean isLocked() {
            return first.isLocked();
        }
    }
}
