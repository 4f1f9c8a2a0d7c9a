// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongLeases;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that do nothing wrong keep the rules on a machine that lets their holders come late. */
@Tag("deep")
class SlowHolderTest {
    private static final Duration STALL = Scale.RENEWED_LEASE.multipliedBy(2);

    private static void assertKept(WrongLock slow, String... rules) {
        assertThat(KitRun.failures(() -> new MemoryHarness(slow), rules.length, Set.of(rules)))
                .isEmpty();
    }

    @Test
    void aHolderMayComeLateToExtendOrCloseItsLease() {
        WrongLock slow = WrongLeases.withLocks(
                "slow",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    protected LockHandle spoil(LockHandle handle) {
                        return new ForwardingHandle(handle) {
                            @Override
                            public void ensureValid(Duration atLeast) {
                                Waits.pass(STALL);
                                super.ensureValid(atLeast);
                            }

                            @Override
                            public void close() {
                                Waits.pass(STALL);
                                super.close();
                            }
                        };
                    }
                });
        assertKept(slow, "6.33", "6.39");
    }

    @Test
    void aShortLeaseMayBeOverBeforeItsGrantArrives() {
        WrongLock slow = new WrongLock("slow") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                Set<String> late = ConcurrentHashMap.newKeySet();
                return new ForwardingProtocol(super.protocol(server, config)) {
                    @Override
                    public Attempt attempt(Claim claim) {
                        boolean isShort = claim.lease().equals(Scale.RENEWED_LEASE)
                                || claim.name().contains("many");
                        if (isShort && late.add(claim.name())) {
                            throw new LockBackendException(Reason.UNREACHABLE, "the answer came too late");
                        }
                        return super.attempt(claim);
                    }
                };
            }
        };
        assertKept(slow, "11.11", "11.19", "13.35");
    }

    @Test
    void aShortLeaseMayBeOverBeforeItsRelease() {
        AtomicBoolean standsStill = new AtomicBoolean();
        Set<String> late = ConcurrentHashMap.newKeySet();
        WrongLock slow = new WrongLock("slow") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new ForwardingProtocol(super.protocol(server, config)) {
                    @Override
                    public List<Renewal> renew(List<Claim> claims) {
                        LockBackendException unsent = new LockBackendException(Reason.UNREACHABLE, "it takes too long");
                        return standsStill.get()
                                ? claims.stream()
                                        .map(claim -> (Renewal) new Renewal.Failed(unsent))
                                        .toList()
                                : super.renew(claims);
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
                                if (late.add(name())) {
                                    standsStill.set(true);
                                    Waits.pass(STALL);
                                    standsStill.set(false);
                                }
                                super.unlock();
                            }
                        };
                    }
                };
            }
        };
        assertKept(slow, "9.24");
        assertKept(slow, "9.10");
    }

    @Test
    void aRenewalMayComeSecondsLate() {
        Set<String> late = ConcurrentHashMap.newKeySet();
        WrongLock slow = new WrongLock("slow") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return new ForwardingProtocol(super.protocol(server, config)) {
                    @Override
                    public List<Renewal> renew(List<Claim> claims) {
                        // One of the two locks of rule 6.27, so that both have stood still once and not twice.
                        if (claims.stream()
                                .map(Claim::name)
                                .filter(name -> !name.endsWith(" b"))
                                .anyMatch(late::add)) {
                            Waits.pass(Scale.RENEWED_LEASE.multipliedBy(3));
                        }
                        return super.renew(claims);
                    }
                };
            }
        };
        assertKept(slow, "6.22", "6.27", "9.13");
    }

    @Test
    void whoeverLooksWhetherALockStaysHeldMayGetNoAnswer() {
        for (String rule : List.of("9.6", "9.10")) {
            AtomicInteger clients = new AtomicInteger();
            WrongLock slow = new WrongLock("slow") {
                @Override
                protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                    LeaseProtocol correct = super.protocol(server, config);
                    AtomicBoolean isThird = new AtomicBoolean(clients.incrementAndGet() == 3);
                    return new ForwardingProtocol(correct) {
                        @Override
                        public Attempt attempt(Claim claim) {
                            return isThird.getAndSet(false)
                                    ? new Attempt.Failed(new LockBackendException(Reason.OUTCOME_UNKNOWN, "too late"))
                                    : super.attempt(claim);
                        }
                    };
                }
            };
            assertKept(slow, rule);
        }
    }
}
