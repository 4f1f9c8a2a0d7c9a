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
import dev.interlock.conformance.internal.actor.Scale;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

public final class WrongLeases {
    private static final Duration ENDLESS = Duration.ofDays(1);

    private WrongLeases() {}

    static List<WrongLock> locks() {
        return List.of(
                aLeaseIsLongerHereThanOnTheServer(),
                theRemainingTimeNeverFalls(),
                leasesDoNotEndOnTheServer(),
                leasesAreThreeTimesAsLongOnTheServer(),
                renewalCannotBeTurnedOff(),
                failedAttemptsProlongTheLease(),
                aThreadHoldsUntilItUnlocks(),
                aLeaseIsAViewOfTheLock(),
                theFirstLockObjectSetsTheOptions(),
                waitingUsesUpTheLease(),
                aLeaseCountsFromTheAnswer(),
                aGrantThatIsOverOnArrivalIsAProgrammingError(),
                onlyTheBackendTellsOfALoss(),
                withLeaseIsForgotten(),
                cancellingAListenerDoesNothing(),
                listenersAreKeptInASet(),
                lateListenersAreForgotten(),
                listenersAreToldTwice(),
                listenersAreToldOfLeasesThatWereGivenUp(),
                aListenerThatThrowsEndsTheRest(),
                lateListenersRunOnTheCallersThread(),
                eachListenerHasAThread(),
                everyLossIsAnExpiry(),
                interruptOnLossIsForgotten(),
                everyLossInterrupts(),
                closingALostHandleIsSilent(),
                closingALostHandleAlwaysThrows(),
                ensureValidAlwaysAsksTheBackend(),
                ensureValidOnlyLooks(),
                ensureValidTakesAnyTime(),
                ensureValidIsSilentAboutLeasesThatWereGivenUp(),
                ensureValidIsSilentAboutALoss(),
                ensureValidIgnoresMaxHold(),
                ensureValidStopsAtTheLease(),
                renewalIsForgotten(),
                renewalDoesNotReachTheServer(),
                renewalTakesALostLockBack(),
                renewalDoesNotLookAtTheOwner(),
                onlyTenOfABatchAreRenewed(),
                renewalMakesALeaseEndless(),
                renewalsAreThreeTimesAsLongOnTheServer(),
                renewalGoesOnAfterTheUnlock(),
                handlesEndWithTheirThread(),
                maxHoldIsForgotten(),
                maxHoldIsThreeTimesAsLong(),
                maxHoldTurnsRenewalOff(),
                aHandOverPassesTheRestOfTheLease());
    }

    // Hooks for wrong locks.

    static WrongLock withServer(String name, Supplier<MemoryServer> server, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected MemoryServer server() {
                return server.get();
            }
        };
    }

    static WrongLock withProtocol(
            String name, BiFunction<MemoryServer, Duration, LeaseProtocol> protocol, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return protocol.apply(server, config.commandTimeout());
            }
        };
    }

    private static WrongLock withOptions(String name, UnaryOperator<LockOptions> options, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedLock getLock(String name) {
                        return getLock(name, config.lockDefaults());
                    }

                    @Override
                    public DistributedLock getLock(String name, LockOptions given) {
                        return correct.getLock(name, given == null ? null : options.apply(given));
                    }
                };
            }
        };
    }

    /** A wrong lock. Each factory gets a spoiler of its own. */
    public static WrongLock withLocks(
            String name, Supplier<UnaryOperator<DistributedLock>> spoilers, String... breaks) {
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

    /** As {@link #withLocks}; a lease is spoiled once, when it is seen for the first time. */
    static WrongLock withLeases(String name, UnaryOperator<Lease> spoiler, String... breaks) {
        return withLocks(
                name,
                () -> {
                    Map<Lease, Lease> spoiled = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        protected Lease spoil(Lease lease) {
                            return spoiled.computeIfAbsent(lease, spoiler);
                        }
                    };
                },
                breaks);
    }

    /** As {@link #withLocks}; each handle is spoiled. */
    private static WrongLock withHandles(String name, UnaryOperator<LockHandle> spoiler, String... breaks) {
        return withLocks(
                name,
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    protected LockHandle spoil(LockHandle handle) {
                        return spoiler.apply(handle);
                    }
                },
                breaks);
    }

    /** Changes the contents of a grant. */
    static Attempt ifGranted(Attempt attempt, UnaryOperator<Attempt.Granted> change) {
        return attempt instanceof Attempt.Granted granted ? change.apply(granted) : attempt;
    }

    // The length of a lease.

    private static WrongLock aLeaseIsLongerHereThanOnTheServer() {
        return withProtocol(
                "aLeaseIsLongerHereThanOnTheServer",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        return ifGranted(
                                super.attempt(claim),
                                granted ->
                                        new Attempt.Granted(granted.validity().multipliedBy(20), granted.firstFence()));
                    }
                },
                "6.1",
                "6.5",
                "6.9",
                "6.11",
                "6.22");
    }

    private static WrongLock theRemainingTimeNeverFalls() {
        return withLeases(
                "theRemainingTimeNeverFalls",
                lease -> {
                    Duration first = lease.remaining();
                    return new ForwardingLease(lease) {
                        @Override
                        public Duration remaining() {
                            return isValid() ? first : Duration.ZERO;
                        }
                    };
                },
                "6.2",
                "6.11",
                "6.22");
    }

    private static WrongLock leasesDoNotEndOnTheServer() {
        return withServer(
                "leasesDoNotEndOnTheServer",
                () -> new MemoryServer() {
                    @Override
                    protected Attempt attempt(Claim claim) {
                        return super.attempt(claim.withLease(ENDLESS)) instanceof Attempt.Granted granted
                                ? new Attempt.Granted(claim.lease(), granted.firstFence())
                                : new Attempt.Refused(Optional.empty());
                    }
                },
                "6.3",
                "6.4",
                "6.5",
                "6.7",
                "6.10",
                "6.25",
                "6.31",
                "6.35",
                "7.7",
                "7.8");
    }

    private static WrongLock leasesAreThreeTimesAsLongOnTheServer() {
        return withServer(
                "leasesAreThreeTimesAsLongOnTheServer",
                () -> new MemoryServer() {
                    @Override
                    protected Attempt attempt(Claim claim) {
                        Claim longer = claim.withLease(claim.lease().multipliedBy(3));
                        return ifGranted(
                                super.attempt(longer),
                                granted -> new Attempt.Granted(claim.lease(), granted.firstFence()));
                    }
                },
                "6.3");
    }

    private static WrongLock renewalCannotBeTurnedOff() {
        return withOptions(
                "renewalCannotBeTurnedOff",
                options -> options.toBuilder().renewal(true).build(),
                "6.3");
    }

    /** As with {@code SETNX} and then {@code EXPIRE}, even if the first failed. */
    private static WrongLock failedAttemptsProlongTheLease() {
        return withServer(
                "failedAttemptsProlongTheLease",
                () -> new MemoryServer() {
                    @Override
                    protected Attempt attempt(Claim claim) {
                        Entry holder = live(claim.name());
                        Attempt attempt = super.attempt(claim);
                        // Not in the last moment of the lease, which a rule would meet only by chance.
                        if (attempt instanceof Attempt.Refused
                                && holder.untilNanos() - System.nanoTime() > TimeUnit.MILLISECONDS.toNanos(50)) {
                            put(new Claim(claim.name(), holder.token(), claim.lease(), claim.timeout(), 1));
                        }
                        return attempt;
                    }
                },
                "6.3",
                "6.4");
    }

    /** The holds of a thread are a field that only the thread changes. */
    private static WrongLock aThreadHoldsUntilItUnlocks() {
        return withLocks(
                "aThreadHoldsUntilItUnlocks",
                () -> {
                    ThreadLocal<Map<String, Lease>> held = ThreadLocal.withInitial(HashMap::new);
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public Optional<Lease> lease() {
                            correct.lease().ifPresent(lease -> held.get().put(name(), lease));
                            return Optional.ofNullable(held.get().get(name()));
                        }

                        @Override
                        public boolean isHeldByCurrentThread() {
                            return lease().isPresent();
                        }

                        @Override
                        public int getHoldCount() {
                            return isHeldByCurrentThread() ? Math.max(1, correct.getHoldCount()) : 0;
                        }

                        @Override
                        public void unlock() {
                            if (correct.getHoldCount() <= 1) {
                                held.get().remove(name());
                            }
                            correct.unlock();
                        }
                    };
                },
                "6.5",
                "6.6",
                "6.32",
                "6.34",
                "6.36");
    }

    private static WrongLock aLeaseIsAViewOfTheLock() {
        return withLocks(
                "aLeaseIsAViewOfTheLock",
                () -> {
                    Map<String, Lease> latest = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        protected Lease spoil(Lease lease) {
                            latest.put(name(), lease);
                            return new ForwardingLease(lease) {
                                @Override
                                public boolean isValid() {
                                    return latest.get(lockName()).isValid();
                                }

                                @Override
                                public Duration remaining() {
                                    return latest.get(lockName()).remaining();
                                }
                            };
                        }
                    };
                },
                "6.7",
                "6.8");
    }

    private static WrongLock theFirstLockObjectSetsTheOptions() {
        return new WrongLock("theFirstLockObjectSetsTheOptions", "6.9", "6.31", "7.7") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                Map<String, LockOptions> first = new ConcurrentHashMap<>();
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedLock getLock(String name) {
                        return getLock(name, config.lockDefaults());
                    }

                    @Override
                    public DistributedLock getLock(String name, LockOptions options) {
                        correct.getLock(name, options);
                        return correct.getLock(name, first.computeIfAbsent(name, any -> options));
                    }
                };
            }
        };
    }

    private static WrongLock waitingUsesUpTheLease() {
        return withLocks(
                "waitingUsesUpTheLease",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public LockHandle acquire() throws InterruptedException {
                        long began = System.nanoTime();
                        LockHandle handle = correct.acquire();
                        Duration waited = Duration.ofNanos(System.nanoTime() - began);
                        return new ForwardingHandle(handle) {
                            @Override
                            public Duration remaining() {
                                Duration left = correct.remaining().minus(waited);
                                return left.isNegative() ? Duration.ZERO : left;
                            }

                            @Override
                            public boolean isValid() {
                                return !remaining().isZero();
                            }
                        };
                    }
                },
                "6.10");
    }

    private static WrongLock aLeaseCountsFromTheAnswer() {
        return withProtocol(
                "aLeaseCountsFromTheAnswer",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        long began = System.nanoTime();
                        return ifGranted(
                                super.attempt(claim),
                                granted -> new Attempt.Granted(
                                        granted.validity().plusNanos(System.nanoTime() - began), granted.firstFence()));
                    }
                },
                "6.11",
                "6.12");
    }

    private static WrongLock aGrantThatIsOverOnArrivalIsAProgrammingError() {
        return withLocks(
                "aGrantThatIsOverOnArrivalIsAProgrammingError",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public void lock() {
                        try {
                            super.lock();
                        } catch (LockBackendException e) {
                            throw new IllegalArgumentException("the lease is too short", e);
                        }
                    }
                },
                "6.12",
                "9.2");
    }

    // Reports of losses.

    private static WrongLock withListeners(
            String name, UnaryOperator<Consumer<? super LossCause>> spoiler, String... breaks) {
        return withLeases(
                name,
                lease -> new ForwardingLease(lease) {
                    @Override
                    public Registration onLoss(Consumer<? super LossCause> action) {
                        return super.onLoss(spoiler.apply(action));
                    }
                },
                breaks);
    }

    /** A loss is reported by a failed renewal only, for lack of a timer. */
    private static WrongLock onlyTheBackendTellsOfALoss() {
        return withListeners(
                "onlyTheBackendTellsOfALoss",
                action -> cause -> {
                    if (cause == LossCause.GONE || cause == LossCause.TAKEN) {
                        action.accept(cause);
                    }
                },
                "6.6",
                "6.7",
                "6.13",
                "6.14",
                "6.16",
                "6.17",
                "6.19",
                "6.20",
                "6.25",
                "6.30",
                "6.32",
                "6.36",
                "7.7");
    }

    private static WrongLock withLeaseIsForgotten() {
        return withLocks(
                "withLeaseIsForgotten",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public DistributedLock withLease(Duration lease) {
                        return this;
                    }
                },
                "6.38");
    }

    private static WrongLock cancellingAListenerDoesNothing() {
        return withLeases(
                "cancellingAListenerDoesNothing",
                lease -> new ForwardingLease(lease) {
                    @Override
                    public Registration onLoss(Consumer<? super LossCause> action) {
                        super.onLoss(action);
                        return () -> {};
                    }
                },
                "6.37");
    }

    private static WrongLock listenersAreKeptInASet() {
        return withLeases(
                "listenersAreKeptInASet",
                lease -> {
                    Map<Consumer<? super LossCause>, Lease.Registration> registered = new ConcurrentHashMap<>();
                    return new ForwardingLease(lease) {
                        @Override
                        public Registration onLoss(Consumer<? super LossCause> action) {
                            return registered.computeIfAbsent(action, correct::onLoss);
                        }
                    };
                },
                "6.37");
    }

    private static WrongLock lateListenersAreForgotten() {
        return withLeases(
                "lateListenersAreForgotten",
                lease -> new ForwardingLease(lease) {
                    @Override
                    public Registration onLoss(Consumer<? super LossCause> action) {
                        return isValid() ? super.onLoss(action) : () -> {};
                    }
                },
                "6.14",
                "6.16",
                "6.17");
    }

    private static WrongLock listenersAreToldTwice() {
        return withLeases(
                "listenersAreToldTwice",
                lease -> new ForwardingLease(lease) {
                    @Override
                    public Registration onLoss(Consumer<? super LossCause> action) {
                        super.onLoss(action);
                        return super.onLoss(action);
                    }
                },
                "6.13",
                "6.14",
                "6.17");
    }

    private static WrongLock listenersAreToldOfLeasesThatWereGivenUp() {
        return withLeases(
                "listenersAreToldOfLeasesThatWereGivenUp",
                lease -> new ForwardingLease(lease) {
                    @Override
                    public Registration onLoss(Consumer<? super LossCause> action) {
                        if (isValid()) {
                            return super.onLoss(action);
                        }
                        action.accept(LossCause.EXPIRED);
                        return super.onLoss(cause -> {});
                    }
                },
                "6.15",
                "6.17");
    }

    private static WrongLock aListenerThatThrowsEndsTheRest() {
        return withLeases(
                "aListenerThatThrowsEndsTheRest",
                lease -> {
                    List<Consumer<? super LossCause>> actions = new CopyOnWriteArrayList<>();
                    lease.onLoss(cause -> actions.forEach(action -> action.accept(cause)));
                    return new ForwardingLease(lease) {
                        @Override
                        public Registration onLoss(Consumer<? super LossCause> action) {
                            if (!isValid()) {
                                return super.onLoss(action);
                            }
                            actions.add(action);
                            return () -> actions.remove(action);
                        }
                    };
                },
                "6.16");
    }

    private static WrongLock lateListenersRunOnTheCallersThread() {
        return withLeases(
                "lateListenersRunOnTheCallersThread",
                lease -> {
                    List<LossCause> loss = new CopyOnWriteArrayList<>();
                    lease.onLoss(loss::add);
                    return new ForwardingLease(lease) {
                        @Override
                        public Registration onLoss(Consumer<? super LossCause> action) {
                            if (loss.isEmpty()) {
                                return super.onLoss(action);
                            }
                            action.accept(loss.get(0));
                            return () -> {};
                        }
                    };
                },
                "6.17");
    }

    private static WrongLock eachListenerHasAThread() {
        return withListeners(
                "eachListenerHasAThread",
                action -> cause -> {
                    Thread thread = new Thread(() -> action.accept(cause));
                    thread.setUncaughtExceptionHandler((t, e) -> {});
                    thread.setDaemon(true);
                    thread.start();
                },
                "6.17");
    }

    private static WrongLock everyLossIsAnExpiry() {
        return withListeners(
                "everyLossIsAnExpiry",
                action -> cause -> action.accept(LossCause.EXPIRED),
                "6.30",
                "6.32",
                "6.34",
                "6.35",
                "6.36");
    }

    private static WrongLock interruptOnLossIsForgotten() {
        return withOptions(
                "interruptOnLossIsForgotten",
                options -> options.toBuilder().interruptOnLoss(false).build(),
                "6.18");
    }

    private static WrongLock everyLossInterrupts() {
        return withOptions(
                "everyLossInterrupts",
                options -> options.toBuilder().interruptOnLoss(true).build(),
                "6.19");
    }

    private static WrongLock closingALostHandleIsSilent() {
        return withHandles(
                "closingALostHandleIsSilent",
                handle -> new ForwardingHandle(handle) {
                    @Override
                    public void close() {
                        try {
                            super.close();
                        } catch (LeaseLostException e) {
                            // The lock is not held any more, which its author took for enough.
                        }
                    }
                },
                "6.20");
    }

    private static WrongLock closingALostHandleAlwaysThrows() {
        return withHandles(
                "closingALostHandleAlwaysThrows",
                handle -> {
                    List<LossCause> loss = new CopyOnWriteArrayList<>();
                    handle.onLoss(loss::add);
                    return new ForwardingHandle(handle) {
                        @Override
                        public void close() {
                            super.close();
                            if (!loss.isEmpty()) {
                                throw new LeaseLostException(lockName(), loss.get(0));
                            }
                        }
                    };
                },
                "6.20");
    }

    // ensureValid().

    private static WrongLock withEnsureValid(String name, EnsureValid wrong, String... breaks) {
        return withLeases(
                name,
                lease -> new ForwardingLease(lease) {
                    @Override
                    public void ensureValid(Duration atLeast) {
                        wrong.ensureValid(correct, atLeast);
                    }
                },
                breaks);
    }

    private interface EnsureValid {
        void ensureValid(Lease correct, Duration atLeast);
    }

    private static WrongLock ensureValidAlwaysAsksTheBackend() {
        return withEnsureValid(
                "ensureValidAlwaysAsksTheBackend",
                (lease, atLeast) -> {
                    // A little more than what is left, so that the lease must be renewed.
                    Duration more = lease.remaining().plus(Duration.ofMillis(1));
                    lease.ensureValid(
                            lease.isValid() && atLeast.compareTo(more) < 0 && !atLeast.isNegative() ? more : atLeast);
                },
                "6.21");
    }

    private static WrongLock ensureValidOnlyLooks() {
        return withEnsureValid(
                "ensureValidOnlyLooks",
                (lease, atLeast) -> {
                    if (!lease.isValid() || atLeast.compareTo(Scale.LONG_LEASE) > 0 || atLeast.isNegative()) {
                        lease.ensureValid(atLeast);
                    }
                },
                "6.22",
                "6.26",
                "6.33");
    }

    private static WrongLock ensureValidTakesAnyTime() {
        return withEnsureValid(
                "ensureValidTakesAnyTime",
                (lease, atLeast) -> {
                    try {
                        lease.ensureValid(atLeast);
                    } catch (IllegalArgumentException e) {
                        lease.ensureValid(Duration.ZERO);
                    }
                },
                "6.23");
    }

    private static WrongLock ensureValidIsSilentAboutLeasesThatWereGivenUp() {
        return withEnsureValid(
                "ensureValidIsSilentAboutLeasesThatWereGivenUp",
                (lease, atLeast) -> {
                    try {
                        lease.ensureValid(atLeast);
                    } catch (LeaseLostException | LockBackendException e) {
                        throw e;
                    } catch (IllegalStateException e) {
                        // Nobody needs it any more.
                    }
                },
                "6.24");
    }

    private static WrongLock ensureValidIsSilentAboutALoss() {
        return withEnsureValid(
                "ensureValidIsSilentAboutALoss",
                (lease, atLeast) -> {
                    try {
                        lease.ensureValid(atLeast);
                    } catch (LeaseLostException e) {
                        // Listeners are told.
                    }
                },
                "6.25",
                "6.26");
    }

    /** Does not extend beyond maxHold, but does not throw either. */
    private static WrongLock ensureValidIgnoresMaxHold() {
        return withEnsureValid(
                "ensureValidIgnoresMaxHold",
                (lease, atLeast) -> {
                    try {
                        lease.ensureValid(atLeast);
                    } catch (IllegalStateException e) {
                        if (!lease.isValid()) {
                            throw e;
                        }
                    }
                },
                "6.33");
    }

    private static WrongLock ensureValidStopsAtTheLease() {
        return withEnsureValid(
                "ensureValidStopsAtTheLease",
                (lease, atLeast) -> {
                    if (atLeast.compareTo(Scale.LONG_LEASE) > 0) {
                        throw new IllegalArgumentException("more than a lease");
                    }
                    lease.ensureValid(atLeast);
                },
                "6.43");
    }

    // Renewal.

    private static WrongLock renewalIsForgotten() {
        return withOptions(
                "renewalIsForgotten",
                options -> options.toBuilder().renewal(false).build(),
                "6.27",
                "6.28",
                "6.29",
                "6.32",
                "6.34",
                "6.35",
                "6.36");
    }

    private static WrongLock renewalDoesNotReachTheServer() {
        return withServer(
                "renewalDoesNotReachTheServer",
                () -> new MemoryServer() {
                    @Override
                    protected Renewal renew(Claim claim) {
                        return lossOf(claim)
                                .<Renewal>map(Renewal.Lost::new)
                                .orElseGet(() -> new Renewal.Renewed(claim.lease()));
                    }
                },
                "6.22",
                "6.27",
                "6.28",
                "6.29");
    }

    /** As with {@code SET}, or {@code EXPIRE} and {@code SET} if that found nothing. */
    private static WrongLock renewalTakesALostLockBack() {
        return withServer(
                        "renewalTakesALostLockBack",
                        () -> new MemoryServer() {
                            @Override
                            protected Renewal renew(Claim claim) {
                                if (live(claim.name()) == null) {
                                    put(claim);
                                }
                                return super.renew(claim);
                            }
                        },
                        "6.26",
                        "6.34")
                .races("9.23");
    }

    /** As with {@code PEXPIRE} by name. */
    private static WrongLock renewalDoesNotLookAtTheOwner() {
        return withServer(
                        "renewalDoesNotLookAtTheOwner",
                        () -> new MemoryServer() {
                            @Override
                            protected Renewal renew(Claim claim) {
                                Entry entry = live(claim.name());
                                if (entry == null) {
                                    return new Renewal.Lost(LossCause.GONE);
                                }
                                put(new Claim(claim.name(), entry.token(), claim.lease(), claim.timeout(), 1));
                                return new Renewal.Renewed(claim.lease());
                            }
                        },
                        "3.21",
                        "3.24")
                .races("6.35");
    }

    private static WrongLock onlyTenOfABatchAreRenewed() {
        return withProtocol(
                "onlyTenOfABatchAreRenewed",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    @Override
                    public List<Renewal> renew(List<Claim> claims) {
                        List<Renewal> answers =
                                new ArrayList<>(super.renew(claims.subList(0, Math.min(10, claims.size()))));
                        claims.stream()
                                .skip(10)
                                .map(claim -> new Renewal.Renewed(claim.lease()))
                                .forEach(answers::add);
                        return answers;
                    }
                },
                "6.28");
    }

    /** As with {@code PERSIST}. */
    private static WrongLock renewalMakesALeaseEndless() {
        return withServer(
                "renewalMakesALeaseEndless",
                () -> new MemoryServer() {
                    @Override
                    protected Renewal renew(Claim claim) {
                        return super.renew(claim.withLease(ENDLESS)) instanceof Renewal.Lost lost
                                ? lost
                                : new Renewal.Renewed(claim.lease());
                    }
                },
                "6.32");
    }

    private static WrongLock renewalsAreThreeTimesAsLongOnTheServer() {
        return withServer(
                "renewalsAreThreeTimesAsLongOnTheServer",
                () -> new MemoryServer() {
                    @Override
                    protected Renewal renew(Claim claim) {
                        Claim longer = claim.withLease(claim.lease().multipliedBy(3));
                        return super.renew(longer) instanceof Renewal.Lost lost
                                ? lost
                                : new Renewal.Renewed(claim.lease());
                    }
                },
                "6.30");
    }

    /** A renewal that is in flight when a lock is released is not cancelled. */
    private static WrongLock renewalGoesOnAfterTheUnlock() {
        return withProtocol(
                "renewalGoesOnAfterTheUnlock",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, task -> {
                        Thread thread = new Thread(task, "stray renewals");
                        thread.setDaemon(true);
                        return thread;
                    });

                    @Override
                    public Release release(Claim claim) {
                        long period = claim.lease().toNanos() / 3;
                        timer.scheduleAtFixedRate(
                                () -> server.request(timeout, () -> renewUnchecked(claim)),
                                period,
                                period,
                                TimeUnit.NANOSECONDS);
                        return super.release(claim);
                    }

                    private boolean renewUnchecked(Claim claim) {
                        MemoryServer.Entry entry = server.live(claim.name());
                        if (entry != null) {
                            server.put(new Claim(claim.name(), entry.token(), claim.lease(), claim.timeout(), 1));
                        }
                        return entry != null;
                    }

                    @Override
                    public void close() {
                        timer.shutdownNow();
                        super.close();
                    }
                },
                "6.31");
    }

    private static WrongLock handlesEndWithTheirThread() {
        return withLocks(
                "handlesEndWithTheirThread",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public LockHandle acquire() throws InterruptedException {
                        Thread owner = Thread.currentThread();
                        return new ForwardingHandle(correct.acquire()) {
                            @Override
                            public boolean isValid() {
                                return owner.isAlive() && super.isValid();
                            }
                        };
                    }
                },
                "6.29");
    }

    private static WrongLock maxHoldIsForgotten() {
        return withOptions(
                "maxHoldIsForgotten",
                options -> LockOptions.builder()
                        .lease(options.lease())
                        .renewal(options.renewal())
                        .interruptOnLoss(options.interruptOnLoss())
                        .build(),
                "6.32",
                "6.33",
                "6.44");
    }

    private static WrongLock aHandOverPassesTheRestOfTheLease() {
        return withLocks(
                "aHandOverPassesTheRestOfTheLease",
                () -> {
                    Map<String, Long> ends = new ConcurrentHashMap<>();
                    Map<String, Integer> holders = new ConcurrentHashMap<>();
                    return lock -> new ForwardingLock(lock) {
                        @Override
                        public void lock() {
                            boolean waited = holders.getOrDefault(name(), 0) > 0;
                            super.lock();
                            if (!waited) {
                                ends.remove(name());
                            }
                        }

                        @Override
                        public Optional<Lease> lease() {
                            return correct.lease().map(lease -> new ForwardingLease(lease) {
                                @Override
                                public Duration remaining() {
                                    long end = ends.getOrDefault(lockName(), Long.MAX_VALUE);
                                    Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
                                    Duration fresh = super.remaining();
                                    return fresh.compareTo(left) < 0 ? fresh : left;
                                }
                            });
                        }

                        @Override
                        protected LockHandle spoil(LockHandle handle) {
                            ends.put(
                                    name(),
                                    System.nanoTime() + handle.remaining().toNanos());
                            holders.merge(name(), 1, Integer::sum);
                            return new ForwardingHandle(handle) {
                                @Override
                                public void close() {
                                    super.close();
                                    holders.merge(lockName(), -1, Integer::sum);
                                }
                            };
                        }
                    };
                },
                "6.39");
    }

    private static WrongLock maxHoldIsThreeTimesAsLong() {
        return withOptions(
                "maxHoldIsThreeTimesAsLong",
                options -> options.maxHold()
                        .map(maxHold -> options.toBuilder()
                                .maxHold(maxHold.multipliedBy(3))
                                .build())
                        .orElse(options),
                "6.32");
    }

    private static WrongLock maxHoldTurnsRenewalOff() {
        return withOptions(
                "maxHoldTurnsRenewalOff",
                options -> options.maxHold().isPresent()
                        ? options.toBuilder().renewal(false).build()
                        : options,
                "6.32");
    }
}
