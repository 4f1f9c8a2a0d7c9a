// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.Lease;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.MemoryProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class WrongFencing {
    private WrongFencing() {}

    static List<WrongLock> locks() {
        return List.of(
                grantsHaveNoToken(),
                tokensCountNanoseconds(),
                handlesHaveNoToken(),
                threadsAndHandlesAreCountedApart(),
                eachClientCountsForItself(),
                handedOverTokensAreEqual(),
                handedOverTokensAreGivenAgain(),
                reentryDrawsAToken(),
                renewalDrawsAToken(),
                theTokenIsThatOfTheLatestHold(),
                theCounterEndsWithTheLease(),
                theCounterIsLostWithTheData(),
                tokensAreDrawnBeforeTheGrant(),
                aRetryGetsTheLastTokenAgain(),
                aRetryGetsNoToken(),
                tokensComeUndeclared());
    }

    /** A server that draws its tokens in its own way. */
    private abstract static class Drawing extends MemoryServer {
        @Override
        protected final Attempt attempt(Claim claim) {
            return WrongLeases.ifGranted(
                    super.attempt(claim),
                    granted -> new Attempt.Granted(granted.validity(), OptionalLong.of(draw(claim))));
        }

        abstract long draw(Claim claim);
    }

    /** The result of {@code INCR} of a key beside the lock, after the tokens that were reserved before. */
    private static long count(Map<String, Long> counters, Claim claim) {
        return counters.merge(claim.name(), (long) claim.fences(), Long::sum) - claim.fences() + 1;
    }

    private static long micros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    private static WrongLock grantsHaveNoToken() {
        return WrongLeases.withServer(
                "grantsHaveNoToken",
                () -> new MemoryServer() {
                    @Override
                    protected Attempt attempt(Claim claim) {
                        return WrongLeases.ifGranted(
                                super.attempt(claim),
                                granted -> new Attempt.Granted(granted.validity(), OptionalLong.empty()));
                    }
                },
                "7.1",
                "7.2",
                "7.3",
                "7.4",
                "7.5",
                "7.6",
                "7.7",
                "7.8",
                "7.9",
                "7.10",
                "7.11",
                "7.12",
                "7.13",
                "7.14");
    }

    private static WrongLock tokensCountNanoseconds() {
        return WrongLeases.withServer(
                "tokensCountNanoseconds",
                () -> new Drawing() {
                    private final Map<String, Long> last = new HashMap<>();

                    @Override
                    long draw(Claim claim) {
                        long now = TimeUnit.MICROSECONDS.toNanos(micros());
                        return last.merge(claim.name(), now, (a, b) -> Math.max(a + claim.fences(), b));
                    }
                },
                "7.1",
                "7.2",
                "7.3",
                "7.4",
                "7.5",
                "7.6",
                "7.7",
                "7.8",
                "7.9",
                "7.10",
                "7.11",
                "7.12",
                "7.13",
                "7.14");
    }

    /** Its author thought of {@code lock()} only. */
    private static WrongLock handlesHaveNoToken() {
        return WrongLeases.withLocks(
                "handlesHaveNoToken",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public LockHandle acquire() throws InterruptedException {
                        return new ForwardingHandle(correct.acquire()) {
                            @Override
                            public OptionalLong fencingToken() {
                                return OptionalLong.empty();
                            }
                        };
                    }
                },
                "7.1",
                "7.2",
                "7.3",
                "7.4",
                "7.5",
                "7.6",
                "7.7",
                "7.8",
                "7.9",
                "7.10",
                "7.11",
                "7.12",
                "7.13",
                "7.14");
    }

    private static WrongLock threadsAndHandlesAreCountedApart() {
        return WrongLeases.withLocks(
                "threadsAndHandlesAreCountedApart",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public LockHandle acquire() throws InterruptedException {
                        return new ForwardingHandle(correct.acquire()) {
                            @Override
                            public OptionalLong fencingToken() {
                                return OptionalLong.of(super.fencingToken().orElseThrow() / 2);
                            }
                        };
                    }
                },
                "7.2",
                "7.4",
                "7.5",
                "7.6",
                "7.12",
                "7.14");
    }

    private static WrongLock eachClientCountsForItself() {
        return WrongLeases.withProtocol(
                "eachClientCountsForItself",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    private final Map<String, Long> counters = new ConcurrentHashMap<>();

                    @Override
                    public Attempt attempt(Claim claim) {
                        return WrongLeases.ifGranted(
                                super.attempt(claim),
                                granted -> new Attempt.Granted(
                                        granted.validity(), OptionalLong.of(count(counters, claim))));
                    }
                },
                "7.3",
                "7.4",
                "7.5",
                "7.6",
                "7.8",
                "7.9",
                "7.10",
                "7.11",
                "7.12",
                "7.13",
                "7.14");
    }

    /** The token stays the same until the server is asked again. */
    private static WrongLock handedOverTokensAreEqual() {
        return WrongLeases.withLocks(
                "handedOverTokensAreEqual",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    protected Lease spoil(Lease lease) {
                        return new ForwardingLease(lease) {
                            @Override
                            public OptionalLong fencingToken() {
                                return OptionalLong.of(super.fencingToken().orElseThrow() / 8 * 8);
                            }
                        };
                    }
                },
                "7.4",
                "7.14");
    }

    /** One token is drawn for a grant, and each local hand-off adds one to it. */
    private static WrongLock handedOverTokensAreGivenAgain() {
        return WrongLeases.withServer(
                "handedOverTokensAreGivenAgain",
                () -> new Drawing() {
                    private final Map<String, Long> last = new HashMap<>();

                    @Override
                    long draw(Claim claim) {
                        return last.merge(claim.name(), micros(), (a, b) -> a + 1);
                    }
                },
                "7.4",
                "7.14");
    }

    private static WrongLock reentryDrawsAToken() {
        return WrongLeases.withLocks(
                "reentryDrawsAToken",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    protected Lease spoil(Lease lease) {
                        int holds = correct.getHoldCount();
                        return holds <= 1
                                ? lease
                                : new ForwardingLease(lease) {
                                    @Override
                                    public OptionalLong fencingToken() {
                                        return OptionalLong.of(
                                                super.fencingToken().orElseThrow() + holds - 1);
                                    }
                                };
                    }
                },
                "7.5");
    }

    private static WrongLock renewalDrawsAToken() {
        return WrongLeases.withLeases(
                "renewalDrawsAToken",
                lease -> {
                    AtomicLong renewals = new AtomicLong();
                    return new ForwardingLease(lease) {
                        @Override
                        public void ensureValid(Duration atLeast) {
                            super.ensureValid(atLeast);
                            renewals.incrementAndGet();
                        }

                        @Override
                        public OptionalLong fencingToken() {
                            return OptionalLong.of(super.fencingToken().orElseThrow() + renewals.get());
                        }
                    };
                },
                "7.6");
    }

    /** The token is read from the server when it is asked for. */
    private static WrongLock theTokenIsThatOfTheLatestHold() {
        Map<String, OptionalLong> latest = new ConcurrentHashMap<>();
        return WrongLeases.withLeases(
                "theTokenIsThatOfTheLatestHold",
                lease -> {
                    latest.put(lease.lockName(), lease.fencingToken());
                    return new ForwardingLease(lease) {
                        @Override
                        public OptionalLong fencingToken() {
                            return latest.get(lockName());
                        }
                    };
                },
                "7.7",
                "7.8");
    }

    /** The counter is a field of the key that keeps the lease. */
    private static WrongLock theCounterEndsWithTheLease() {
        return WrongLeases.withServer(
                "theCounterEndsWithTheLease",
                () -> new Drawing() {
                    private final Map<String, Long> counters = new HashMap<>();
                    private final Map<String, Long> ends = new HashMap<>();

                    @Override
                    long draw(Claim claim) {
                        long now = System.nanoTime();
                        if (ends.getOrDefault(claim.name(), now) - now < 0) {
                            counters.remove(claim.name());
                        }
                        // It began a little before the lease.
                        ends.put(
                                claim.name(),
                                now + claim.lease().minusMillis(10).toNanos());
                        return count(counters, claim);
                    }
                },
                "7.8");
    }

    /** As with {@code INCR}. */
    private static WrongLock theCounterIsLostWithTheData() {
        return WrongLeases.withServer(
                "theCounterIsLostWithTheData",
                () -> new Drawing() {
                    private final Map<String, Long> counters = new HashMap<>();

                    @Override
                    long draw(Claim claim) {
                        return count(counters, claim);
                    }

                    @Override
                    protected void suffer(Fault fault) {
                        if (Set.of(Fault.FLUSH, Fault.RESTART_WITHOUT_DATA, Fault.KILL)
                                .contains(fault)) {
                            counters.clear();
                        }
                    }
                },
                "7.9",
                "7.10",
                "7.11");
    }

    /** A client draws a token when it first asks, and keeps it for when it gets the lock. */
    private static WrongLock tokensAreDrawnBeforeTheGrant() {
        Map<String, Long> counters = new ConcurrentHashMap<>();
        return WrongLeases.withProtocol(
                "tokensAreDrawnBeforeTheGrant",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    private final Map<String, Long> drawn = new ConcurrentHashMap<>();

                    @Override
                    public Attempt attempt(Claim claim) {
                        long token = drawn.computeIfAbsent(claim.name(), any -> count(counters, claim));
                        Attempt attempt = super.attempt(claim);
                        if (attempt instanceof Attempt.Granted granted) {
                            drawn.remove(claim.name());
                            return new Attempt.Granted(granted.validity(), OptionalLong.of(token));
                        }
                        return attempt;
                    }
                },
                "7.12",
                "7.14");
    }

    /** A client keeps the counter from the last answer, which is wrong after a lost answer. */
    private static WrongLock aRetryGetsTheLastTokenAgain() {
        return WrongLeases.withProtocol(
                "aRetryGetsTheLastTokenAgain",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    private final Map<String, Long> last = new ConcurrentHashMap<>();
                    private volatile boolean unsure;

                    @Override
                    public Attempt attempt(Claim claim) {
                        Attempt attempt = super.attempt(claim);
                        if (attempt instanceof Attempt.Granted granted) {
                            long token = granted.firstFence().orElseThrow();
                            long told = unsure ? last.getOrDefault(claim.name(), token) : token;
                            unsure = false;
                            last.put(claim.name(), told);
                            return new Attempt.Granted(granted.validity(), OptionalLong.of(told));
                        }
                        unsure |= attempt instanceof Attempt.Failed failed
                                && failed.cause().reason() == Reason.OUTCOME_UNKNOWN;
                        return attempt;
                    }
                },
                "7.13");
    }

    private static WrongLock aRetryGetsNoToken() {
        return WrongLeases.withProtocol(
                "aRetryGetsNoToken",
                (server, timeout) -> new MemoryProtocol(server, timeout) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        Attempt first = super.attempt(claim);
                        return first instanceof Attempt.Failed
                                ? WrongLeases.ifGranted(
                                        super.attempt(claim),
                                        granted -> new Attempt.Granted(granted.validity(), OptionalLong.empty()))
                                : first;
                    }
                },
                "7.13");
    }

    private static WrongLock tokensComeUndeclared() {
        return new WrongLock("tokensComeUndeclared", "7.15") {
            @Override
            protected StrategyProfile profile() {
                EnumSet<Capability> capabilities = EnumSet.copyOf(MemoryHarness.PROFILE.capabilities());
                capabilities.remove(Capability.FENCING);
                return new StrategyProfile(
                        MemoryHarness.PROFILE.summary(), capabilities, MemoryHarness.PROFILE.assumptions());
            }
        };
    }
}
