// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.internal.actor.Calm;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.internal.rules.TroubledRules;
import dev.interlock.conformance.internal.run.CertificateWriter;
import dev.interlock.conformance.internal.run.Retries;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongLeases;
import dev.interlock.conformance.wrong.WrongLocks;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Retries are counted, published, and limited. */
class RetriesTest {
    private static final String UNLIMITED = "";

    /** The build does not run this class as a test; only the enclosing class does. */
    static final class Troubled extends TroubledRules {
        @Override
        protected LockHarness harness() {
            return new MemoryHarness(new WrongLock("correct"));
        }
    }

    /** Waiters that spin. */
    static final class Spinning extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            return new MemoryHarness(wrongLock("waitersSpin"));
        }
    }

    /** A lock that lets six threads in together, on a machine that stands still again and again. */
    static final class OnAMachineThatStandsStill extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            CyclicBarrier together = new CyclicBarrier(6);
            return new MemoryHarness(new WrongLock("sixAtOnce") {
                @Override
                protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                    return new ForwardingFactory(correct) {
                        @Override
                        public DistributedLock getLock(Collection<String> names) {
                            standStill();
                            return new ForwardingLock(correct.getLock(names)) {
                                @Override
                                public void lock() {
                                    try {
                                        together.await();
                                    } catch (InterruptedException | BrokenBarrierException e) {
                                        throw new IllegalStateException(e);
                                    }
                                }

                                @Override
                                public void unlock() {}
                            };
                        }
                    };
                }
            });
        }
    }

    /** A lock whose first lease is over before the thread can read it. */
    static final class OverBeforeItIsRead extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            AtomicInteger reads = new AtomicInteger();
            return new MemoryHarness(WrongLeases.withLocks(
                    "slow",
                    () -> lock -> new ForwardingLock(lock) {
                        @Override
                        public Optional<Lease> lease() {
                            if (reads.incrementAndGet() == 1) {
                                Waits.pass(Scale.SHORT_LEASE);
                            }
                            return super.lease();
                        }
                    }));
        }
    }

    /** Makes it look to the rules as if the machine had stood still until now. */
    private static void standStill() {
        try {
            Field watch = Calm.class.getDeclaredField("WATCH");
            watch.setAccessible(true);
            Field broken = watch.getType().getDeclaredField("brokenNanos");
            broken.setAccessible(true);
            broken.setLong(watch.get(null), System.nanoTime());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static WrongLock wrongLock(String name) {
        return WrongLocks.all()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static EngineExecutionResults runWithBudget(String budget) {
        EngineTestKit.Builder run = EngineTestKit.engine("junit-jupiter").selectors(selectClass(Troubled.class));
        if (!budget.equals(UNLIMITED)) {
            run.configurationParameter(Retries.COUNT, budget);
        }
        PostDiscoveryFilter own = test ->
                FilterResult.includedIf(!test.isTest() || test.getDisplayName().startsWith("rule_0_"));
        return run.filters(own).execute();
    }

    private static List<Map<String, String>> published(EngineExecutionResults results) {
        return results.allEvents().reportingEntryPublished().stream()
                .map(event -> event.getRequiredPayload(ReportEntry.class).getKeyValuePairs())
                .toList();
    }

    @Test
    void eachRetryIsPublishedWithItsReasonAndTheSumWithTheClass() {
        List<Map<String, String>> published = published(runWithBudget(UNLIMITED));
        assertThat(published)
                .contains(
                        Map.of(
                                Retries.COUNT,
                                "2",
                                Retries.REASONS,
                                "{a short lease was over before its grant arrived=2}"),
                        Map.of(Retries.COUNT, "1", Retries.REASONS, "{a call took longer than it should=1}"),
                        Map.of(
                                Retries.COUNT,
                                "1",
                                Retries.REASONS,
                                "{a lease of PT1S was too short, perhaps because something stood still=1}"),
                        Map.of(Retries.TOTAL, "4"))
                .hasSize(4);
    }

    private static EngineExecutionResults run(Class<?> kit, String rule) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(kit, rule))
                .configurationParameter(CertificateWriter.PROPERTY, CertificateWriter.NONE)
                .execute();
    }

    @Test
    void twoHoldersOfOneNameAreNotExcusedByAMachineThatStandsStill() {
        EngineExecutionResults results =
                run(OnAMachineThatStandsStill.class, "rule_15_4_locksWhoseNamesOverlapNeverWaitInACircle");

        results.testEvents().assertStatistics(statistics -> statistics.failed(1));
        assertThat(published(results))
                .anySatisfy(entry -> assertThat(entry).containsEntry(Retries.REASONS, "{the machine stood still=4}"));
    }

    @Test
    void oneMoreLeaseAfterOneThatWasOverTooEarlyIsARetry() {
        EngineExecutionResults results = run(OverBeforeItIsRead.class, "rule_2_35_queriesTellOfALoss");

        results.testEvents().assertStatistics(statistics -> statistics.succeeded(1));
        assertThat(published(results))
                .anySatisfy(entry -> assertThat(entry)
                        .containsEntry(Retries.REASONS, "{a short lease was over before it was read=1}"));
    }

    @Test
    void eachFurtherLookAtAWaiterThatSeemsToSpinIsARetry() {
        EngineExecutionResults results = run(Spinning.class, "rule_8_18_aWaiterDoesNotSpin");

        results.testEvents().assertStatistics(statistics -> statistics.failed(1));
        assertThat(published(results))
                .anySatisfy(entry -> assertThat(entry)
                        .containsEntry(Retries.COUNT, "4")
                        .containsEntry(Retries.REASONS, "{a waiter was running, and not waiting=4}"));
    }

    @Test
    void withoutABudgetAnyNumberOfRetriesPasses() {
        assertThat(failuresOfTheClass(runWithBudget(UNLIMITED))).isEmpty();
    }

    @Test
    void asManyRetriesAsTheBudgetAllowsPass() {
        assertThat(failuresOfTheClass(runWithBudget("4"))).isEmpty();
    }

    @Test
    void oneMoreFailsTheClassAndNamesTheRules() {
        EngineExecutionResults results = runWithBudget("3");
        assertThat(failuresOfTheClass(results))
                .singleElement()
                .asString()
                .contains("4 times")
                .contains(Retries.COUNT + " allows 3")
                .contains("Troubled.rule_0_1_getsItsGrantsAtTheThirdTry()=2")
                .contains("Troubled.rule_0_2_isFastEnoughAtTheSecondTry()=1");
        results.testEvents().assertStatistics(statistics -> statistics.succeeded(4));
    }

    private static List<Throwable> failuresOfTheClass(EngineExecutionResults results) {
        return results.containerEvents().failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElse(null))
                .filter(Objects::nonNull)
                .toList();
    }

    @Test
    @Tag("deep")
    void aRuleThatIsRunAgainAgainstAWrongLockIsCounted() {
        WrongLock wrong = wrongLock("aSecondCloseIsAnError");
        AtomicInteger runs = new AtomicInteger();
        Reruns reruns = new Reruns();
        Supplier<LockHarness> harness =
                () -> new MemoryHarness(runs.incrementAndGet() < 3 ? new WrongLock("correct") : wrong);
        Map<String, String> verdict = KitRun.verdict(
                KitRun.failures(harness, 1, Set.of("11.1")),
                harness,
                1,
                Set.of("11.1"),
                Set.of("11.1"),
                rules -> reruns.add("wrong at the third time", rules));
        assertThat(verdict).containsOnlyKeys("11.1");
        assertThat(reruns.count()).isEqualTo(2);
        reruns.assertWithin(2);
        assertThatThrownBy(() -> reruns.assertWithin(1))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("run again 2 times, and interlock.wronglocks.reruns allows 1")
                .hasMessageContaining("{wrong at the third time={11.1=2}}");
    }
}
