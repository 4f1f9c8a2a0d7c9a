// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
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
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;

final class WrongFaults {
    private static final Set<Fault> END_CONNECTIONS = EnumSet.of(
            Fault.PARTITION,
            Fault.STOP,
            Fault.KILL,
            Fault.RESTART_WITH_DATA,
            Fault.RESTART_WITHOUT_DATA,
            Fault.CUT_CONNECTIONS);

    private static final Set<Fault> END_SCRIPTS = EnumSet.of(
            Fault.FORGET_PREPARED, Fault.STOP, Fault.KILL, Fault.RESTART_WITH_DATA, Fault.RESTART_WITHOUT_DATA);

    private WrongFaults() {}

    static List<WrongLock> locks() {
        return List.of(
                new SpoiltLock("tryLockCallsAnOutageTaken", TriesOnce::new, "9.1", "9.3", "9.4", "9.5"),
                new SpoiltLock("timedWaitsCallAnOutageTaken", TriesForAWhile::new, "9.2", "9.18"),
                new SpoiltLock("lockTriesAgainForEver", TriesForEver::new, "9.2", "9.17", "9.28"),
                new WrongLock("noRequestHasATimeOut", "9.3", "9.5", "9.8") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new MemoryProtocol(server, Duration.ofHours(1));
                    }
                },
                new SpoiltProtocol("aRequestWithoutAnAnswerIsTakenForOneThatWasNotSent", "9.3", "9.4", "9.5") {
                    @Override
                    Attempt attempt(LeaseProtocol correct, Claim claim) {
                        return withReason(Reason.UNREACHABLE, correct.attempt(claim));
                    }
                },
                new SpoiltProtocol("aRequestWithoutAnAnswerIsSentAgainAsANewOne", "9.4") {
                    @Override
                    Attempt attempt(LeaseProtocol correct, Claim claim) {
                        Attempt first = correct.attempt(claim);
                        return isUnanswered(first) ? correct.attempt(underAnotherToken(claim)) : first;
                    }
                },
                new WrongLock("undoingAnAcquisitionDeletesWhatItFinds", "9.6") {
                    @Override
                    protected MemoryServer server() {
                        return new LateServer();
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new UndoesByName((LateServer) server, super.protocol(server, config));
                    }
                },
                new SpoiltProtocol("unlockFailsWithTheBackend", "9.7", "9.9", "9.10") {
                    @Override
                    Release release(LeaseProtocol correct, Claim claim) {
                        try {
                            return correct.release(claim);
                        } catch (LockBackendException e) {
                            throw e.reason() == Reason.UNREACHABLE ? new IllegalStateException("cannot unlock", e) : e;
                        }
                    }
                },
                new SpoiltProtocol("aReleaseThatFailsIsForgotten", "9.9") {
                    @Override
                    Release release(LeaseProtocol correct, Claim claim) {
                        try {
                            return correct.release(claim);
                        } catch (LockBackendException e) {
                            return new Release.Freed(true);
                        }
                    }
                },
                new WrongLock("aReleaseThatFailsIsRepeatedByName", "9.10") {
                    @Override
                    protected MemoryServer server() {
                        return new LateServer();
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new RepeatsByName((LateServer) server, super.protocol(server, config));
                    }
                },
                new SpoiltProtocol("aReleaseThatIsSentAgainFindsALoss", "9.11") {
                    @Override
                    Release release(LeaseProtocol correct, Claim claim) {
                        try {
                            return correct.release(claim);
                        } catch (LockBackendException e) {
                            return correct.release(claim);
                        }
                    }
                },
                new SpoiltProtocol("aRenewalThatFailsIsALoss", "9.12", "9.13", "9.14", "9.15") {
                    @Override
                    protected MemoryServer server() {
                        return new StaleServer();
                    }

                    @Override
                    Renewal renewal(Claim claim, Renewal correct) {
                        return correct instanceof Renewal.Failed ? new Renewal.Lost(LossCause.GONE) : correct;
                    }
                },
                new SpoiltProtocol("aRenewalThatFailsIsTakenForDone", "9.14", "9.15") {
                    @Override
                    Renewal renewal(Claim claim, Renewal correct) {
                        return correct instanceof Renewal.Failed ? new Renewal.Renewed(claim.lease()) : correct;
                    }
                },
                new SpoiltProtocol("waitersGiveUpAtTheFirstFailure", "9.3", "9.4", "9.5", "9.16") {
                    @Override
                    Attempt attempt(LeaseProtocol correct, Claim claim) {
                        return withReason(Reason.REFUSED, correct.attempt(claim));
                    }
                },
                new WrongLock("aConnectionThatWasCutIsNotOpenedAgain", "9.19", "9.20", "9.29") {
                    @Override
                    protected MemoryServer server() {
                        return new CountingServer(EnumSet.of(Fault.CUT_CONNECTIONS));
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        CountingServer counting = (CountingServer) server;
                        int atFirst = counting.times();
                        return new FailsUnless(
                                () -> counting.times() == atFirst, Reason.UNREACHABLE, super.protocol(server, config));
                    }
                },
                new WrongLock(
                        "aLockEndsWithTheConnectionThatTookIt",
                        "9.13",
                        "9.15",
                        "9.16",
                        "9.18",
                        "9.20",
                        "9.21",
                        "9.22") {
                    @Override
                    protected MemoryServer server() {
                        return new MemoryServer() {
                            @Override
                            protected void suffer(Fault fault) {
                                if (END_CONNECTIONS.contains(fault)) {
                                    forget();
                                }
                            }
                        };
                    }
                },
                new WrongLock("renewalTakesALockThatIsGone", "9.23") {
                    @Override
                    protected MemoryServer server() {
                        return new MemoryServer() {
                            @Override
                            protected Renewal renew(Claim claim) {
                                put(claim);
                                return new Renewal.Renewed(claim.lease());
                            }
                        };
                    }
                },
                new WrongLock("scriptsAreLoadedOnce", "9.21", "9.22", "9.24", "9.25", "9.26", "9.35") {
                    @Override
                    protected MemoryServer server() {
                        return new CountingServer(END_SCRIPTS);
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        CountingServer counting = (CountingServer) server;
                        return new FailsUnless(
                                () -> counting.times() == 0, Reason.REFUSED, super.protocol(server, config));
                    }
                },
                new WrongLock("connectionsThatEndedAreFoundOneByOne", "9.35") {
                    @Override
                    protected MemoryServer server() {
                        return new CountingServer(EnumSet.of(Fault.RESTART_WITH_DATA));
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new HasSeveralConnections((CountingServer) server, super.protocol(server, config));
                    }
                },
                new WrongLock("aGrantThatIsLateIsTakenForARefusal", "9.27") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                long start = System.nanoTime();
                                Attempt attempt = super.attempt(claim);
                                if (attempt instanceof Attempt.Granted
                                        && System.nanoTime() - start > FaultInjector.DELAY.toNanos() / 2) {
                                    release(claim);
                                    return new Attempt.Refused(Optional.empty());
                                }
                                return attempt;
                            }
                        };
                    }
                },
                new SpoiltLock("aLostReplyIsAProgrammingError", FailsOtherwise::new, "9.1", "9.3", "9.4", "9.6"),
                new WrongLock("aRefusalThatIsLateIsTakenForAGrant", "9.27") {
                    @Override
                    protected MemoryServer server() {
                        return new CountingServer(EnumSet.of(Fault.DELAY));
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        CountingServer counting = (CountingServer) server;
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                Attempt attempt = super.attempt(claim);
                                return counting.times() > 0 && attempt instanceof Attempt.Refused
                                        ? new Attempt.Granted(claim.lease(), OptionalLong.of(1))
                                        : attempt;
                            }
                        };
                    }
                },
                new WrongLock("theFirstRefusalAfterACutIsTakenForAGrant", "8.21", "9.20", "9.29") {
                    @Override
                    protected MemoryServer server() {
                        return new CountingServer(EnumSet.of(Fault.CUT_CONNECTIONS));
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new TakesARefusalForAGrant((CountingServer) server, super.protocol(server, config));
                    }
                },
                new WrongLock("failuresShowThePasswordWhereOneClientHasOne", "9.28") {
                    @Override
                    protected String endpoints() {
                        return "redis://localhost";
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        String password = password(config).orElse("no password");
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                return withMessage("cannot log in with " + password, super.attempt(claim));
                            }
                        };
                    }
                },
                new WrongLock("failuresShowThePassword", "9.28") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        String password = password(config).orElseThrow();
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                return withMessage("cannot log in with " + password, super.attempt(claim));
                            }
                        };
                    }
                });
    }

    private static boolean isUnanswered(Attempt attempt) {
        return attempt instanceof Attempt.Failed failed && failed.cause().reason() == Reason.OUTCOME_UNKNOWN;
    }

    private static Attempt withReason(Reason reason, Attempt attempt) {
        return attempt instanceof Attempt.Failed failed
                ? new Attempt.Failed(new LockBackendException(reason, "for the wrong reason", failed.cause()))
                : attempt;
    }

    private static Attempt withMessage(String message, Attempt attempt) {
        return attempt instanceof Attempt.Failed failed
                ? new Attempt.Failed(new LockBackendException(failed.cause().reason(), message))
                : attempt;
    }

    private static Claim underAnotherToken(Claim claim) {
        return new Claim(claim.name(), claim.token() + " again", claim.lease(), claim.timeout(), claim.fences());
    }

    /** A server that receives releases by name at the worst moment: when somebody else has just taken the lock. */
    private static final class LateServer extends MemoryServer {
        private final Set<String> late = ConcurrentHashMap.newKeySet();

        Release releaseByName(Claim claim) {
            late.add(claim.name());
            return new Release.Freed(true);
        }

        @Override
        protected Attempt attempt(Claim claim) {
            Attempt attempt = super.attempt(claim);
            if (attempt instanceof Attempt.Granted && late.remove(claim.name())) {
                remove(claim.name());
            }
            return attempt;
        }
    }

    /** A server whose client notices the end of a connection at its next renewal, however late that comes. */
    private static final class StaleServer extends MemoryServer {
        private boolean stale;

        @Override
        protected void suffer(Fault fault) {
            super.suffer(fault);
            stale |= END_CONNECTIONS.contains(fault);
        }

        @Override
        protected Renewal renew(Claim claim) {
            if (stale) {
                stale = false;
                throw new LockBackendException(Reason.UNREACHABLE, "the connection has ended");
            }
            return super.renew(claim);
        }
    }

    /** A correct lock whose lock objects are broken. */
    static final class SpoiltLock extends WrongLock {
        private final Function<DistributedLock, DistributedLock> spoiling;

        SpoiltLock(String name, Function<DistributedLock, DistributedLock> spoiling, String... breaks) {
            super(name, breaks);
            this.spoiling = spoiling;
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            return new ForwardingFactory(correct) {
                @Override
                protected DistributedLock spoil(DistributedLock lock) {
                    return spoiling.apply(lock);
                }
            };
        }
    }

    private static final class TriesOnce extends ForwardingLock {
        TriesOnce(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock() {
            try {
                return super.tryLock();
            } catch (LockBackendException e) {
                return false;
            }
        }
    }

    private static final class FailsOtherwise extends ForwardingLock {
        FailsOtherwise(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock() {
            try {
                return super.tryLock();
            } catch (LockBackendException e) {
                throw new IllegalArgumentException("no answer", e);
            }
        }
    }

    private static final class TriesForAWhile extends ForwardingLock {
        TriesForAWhile(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            try {
                return super.tryLock(time, unit);
            } catch (LockBackendException e) {
                return false;
            }
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
            try {
                return super.tryAcquire(wait);
            } catch (LockBackendException e) {
                return Optional.empty();
            }
        }
    }

    private static final class TriesForEver extends ForwardingLock {
        TriesForEver(DistributedLock correct) {
            super(correct);
        }

        @Override
        public void lock() {
            while (true) {
                try {
                    super.lock();
                    return;
                } catch (LockBackendException e) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
            }
        }
    }

    /** A correct lock whose protocol is broken. */
    private abstract static class SpoiltProtocol extends WrongLock {
        SpoiltProtocol(String name, String... breaks) {
            super(name, breaks);
        }

        Attempt attempt(LeaseProtocol correct, Claim claim) {
            return correct.attempt(claim);
        }

        Release release(LeaseProtocol correct, Claim claim) {
            return correct.release(claim);
        }

        /** How a renewal's result is understood. */
        Renewal renewal(Claim claim, Renewal correct) {
            return correct;
        }

        @Override
        protected final LeaseProtocol protocol(MemoryServer server, LockConfig config) {
            return new ForwardingProtocol(super.protocol(server, config)) {
                @Override
                public Attempt attempt(Claim claim) {
                    return SpoiltProtocol.this.attempt(correct, claim);
                }

                @Override
                public List<Renewal> renew(List<Claim> claims) {
                    List<Renewal> renewals = super.renew(claims);
                    return IntStream.range(0, claims.size())
                            .mapToObj(i -> renewal(claims.get(i), renewals.get(i)))
                            .toList();
                }

                @Override
                public Release release(Claim claim) {
                    return SpoiltProtocol.this.release(correct, claim);
                }
            };
        }
    }

    private static final class UndoesByName extends ForwardingProtocol {
        private final LateServer server;
        private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

        UndoesByName(LateServer server, LeaseProtocol correct) {
            super(correct);
            this.server = server;
        }

        @Override
        public Attempt attempt(Claim claim) {
            Attempt attempt = super.attempt(claim);
            if (isUnanswered(attempt)) {
                unanswered.add(claim.token());
            }
            return attempt;
        }

        @Override
        public Release release(Claim claim) {
            return unanswered.contains(claim.token()) ? server.releaseByName(claim) : super.release(claim);
        }
    }

    private static final class RepeatsByName extends ForwardingProtocol {
        private final LateServer server;

        RepeatsByName(LateServer server, LeaseProtocol correct) {
            super(correct);
            this.server = server;
        }

        @Override
        public Release release(Claim claim) {
            try {
                return super.release(claim);
            } catch (LockBackendException e) {
                if (e.reason() != Reason.UNREACHABLE) {
                    throw e;
                }
                return server.releaseByName(claim);
            }
        }
    }

    /** Counts faults of some kinds. */
    private static final class CountingServer extends MemoryServer {
        private final Set<Fault> counted;
        private final AtomicInteger times = new AtomicInteger();

        CountingServer(Set<Fault> counted) {
            this.counted = counted;
        }

        @Override
        protected void suffer(Fault fault) {
            if (counted.contains(fault)) {
                times.incrementAndGet();
            }
        }

        int times() {
            return times.get();
        }
    }

    /** As many requests fail after a restart as there were connections. */
    private static final class HasSeveralConnections extends ForwardingProtocol {
        private static final int CONNECTIONS = 3;

        private final CountingServer server;
        private int restarts;
        private int ended;

        HasSeveralConnections(CountingServer server, LeaseProtocol correct) {
            super(correct);
            this.server = server;
            this.restarts = server.times();
        }

        private synchronized boolean meetsOneThatEnded() {
            if (server.times() != restarts) {
                restarts = server.times();
                ended = CONNECTIONS;
            }
            return ended > 0 && ended-- > 0;
        }

        @Override
        public Attempt attempt(Claim claim) {
            return meetsOneThatEnded()
                    ? new Attempt.Failed(new LockBackendException(Reason.UNREACHABLE, "the connection has ended"))
                    : super.attempt(claim);
        }
    }

    /** Each time that its connection was cut, a client takes the first refusal for a grant. */
    private static final class TakesARefusalForAGrant extends ForwardingProtocol {
        private final CountingServer server;
        private final AtomicInteger cutsSeen;

        TakesARefusalForAGrant(CountingServer server, LeaseProtocol correct) {
            super(correct);
            this.server = server;
            this.cutsSeen = new AtomicInteger(server.times());
        }

        @Override
        public Attempt attempt(Claim claim) {
            Attempt attempt = super.attempt(claim);
            int cuts = server.times();
            return attempt instanceof Attempt.Refused && cutsSeen.getAndSet(cuts) != cuts
                    ? new Attempt.Granted(claim.lease(), OptionalLong.of(1))
                    : attempt;
        }
    }

    static class FailsUnless extends ForwardingProtocol {
        private final BooleanSupplier working;
        private final Reason reason;

        FailsUnless(BooleanSupplier working, Reason reason, LeaseProtocol correct) {
            super(correct);
            this.working = working;
            this.reason = reason;
        }

        private LockBackendException failure() {
            return new LockBackendException(reason, "it does not work any more");
        }

        @Override
        public Attempt attempt(Claim claim) {
            return working.getAsBoolean() ? super.attempt(claim) : new Attempt.Failed(failure());
        }

        @Override
        public List<Renewal> renew(List<Claim> claims) {
            return working.getAsBoolean()
                    ? super.renew(claims)
                    : claims.stream()
                            .map(it -> (Renewal) new Renewal.Failed(failure()))
                            .toList();
        }

        @Override
        public Release release(Claim claim) {
            if (!working.getAsBoolean()) {
                throw failure();
            }
            return super.release(claim);
        }
    }
}
