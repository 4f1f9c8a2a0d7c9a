// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.memory.ForwardingConditions;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Locks that do nothing wrong keep the rules on a machine that lets them wait. */
class SlowMachineTest {
    /** Longer than a rule gives a thread to begin to wait. */
    private static final long LATE_MILLIS = 300;

    private static void assertKept(String rule, UnaryOperator<LeaseProtocol> slow) {
        WrongLock lock = new WrongLock("slow") {
            @Override
            protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                return slow.apply(super.protocol(server, config));
            }
        };
        assertKept(rule, lock);
    }

    private static void assertKept(String rule, WrongLock slow) {
        assertThat(KitRun.failures(() -> new MemoryHarness(slow), 1, Set.of(rule)))
                .isEmpty();
    }

    @Test
    void aReplyIsLostToTheWaiterThoughItSendsItsRequestLate() {
        assertKept("13.46", correct -> new ForwardingProtocol(correct) {
            @Override
            public Optional<ConditionProtocol> conditions() {
                return super.conditions().map(conditions -> new ForwardingConditions(conditions) {
                    @Override
                    public Release await(Claim held, Claim waiter, boolean releases) {
                        Waits.pass(Scale.millis(LATE_MILLIS));
                        return super.await(held, waiter, releases);
                    }
                });
            }
        });
    }

    @Test
    void aThreadMayRunForLongBeforeItWaits() {
        Set<Thread> begun = ConcurrentHashMap.newKeySet();
        assertKept("8.18", correct -> new ForwardingProtocol(correct) {
            @Override
            public Attempt attempt(Claim claim) {
                long start = System.nanoTime();
                boolean runs = begun.add(Thread.currentThread());
                while (runs && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS)) {
                    Thread.onSpinWait();
                }
                return super.attempt(claim);
            }
        });
    }

    @Test
    void aShortLeaseMayBeOverBeforeTheWaitBegins() {
        AtomicInteger waits = new AtomicInteger();
        AtomicBoolean standsStill = new AtomicBoolean();
        assertKept("13.35", correct -> new ForwardingProtocol(correct) {
            @Override
            public List<Renewal> renew(List<Claim> claims) {
                LockBackendException unsent = new LockBackendException(Reason.UNREACHABLE, "it takes too long");
                return standsStill.get()
                        ? claims.stream()
                                .map(claim -> (Renewal) new Renewal.Failed(unsent))
                                .toList()
                        : super.renew(claims);
            }

            @Override
            public Optional<ConditionProtocol> conditions() {
                return super.conditions().map(conditions -> new ForwardingConditions(conditions) {
                    @Override
                    public Watch listen(Claim waiter, Runnable onChange) {
                        if (waits.incrementAndGet() == 1) {
                            standsStill.set(true);
                            Waits.pass(Scale.RENEWED_LEASE.multipliedBy(2));
                            standsStill.set(false);
                        }
                        return super.listen(waiter, onChange);
                    }
                });
            }
        });
    }

    @Test
    void aServerOfSeveralMayCarryOutARequestOfTheHolderAfterItHasLostItsData() {
        WrongLock slow = new WrongLock("slow") {
            @Override
            protected MemoryServer server() {
                return new MemoryServer() {
                    private @Nullable Claim granted;
                    private @Nullable Claim late;

                    @Override
                    protected void suffer(Fault fault) {
                        super.suffer(fault);
                        late = granted;
                        granted = null;
                    }

                    @Override
                    protected Attempt attempt(Claim claim) {
                        if (late != null) {
                            put(late);
                            late = null;
                        }
                        Attempt attempt = super.attempt(claim);
                        granted = attempt instanceof Attempt.Granted ? claim : granted;
                        return attempt;
                    }
                };
            }
        };
        assertKept("2.28", slow);
    }
}
