// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.DirectHarness;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class RuleRunTest {
    private static final List<Rule> TWO_RULES = Rule.ALL.subList(0, 2);

    @Test
    void aRuleThatHangsAndMindsNoInterruptFailsAndTheOthersGoOn() {
        CountDownLatch end = new CountDownLatch(1);
        StringWriter err = new StringWriter();
        try {
            RuleRun run = new RuleRun(() -> new Hanging(end), Duration.ofMillis(200));

            ConformanceResult result =
                    run.run("hanging", TWO_RULES, new Progress.Lines(new PrintWriter(err), TWO_RULES.size()));

            assertThat(result.rules()).hasSize(2).allSatisfy(verdict -> {
                assertThat(verdict.outcome()).isEqualTo(RuleVerdict.Outcome.FAILED);
                assertThat(verdict.message()).contains("timed out after 200 milliseconds");
            });
            assertThat(err.toString().lines()).hasSize(2).first().asString().startsWith("[1/2] hanging: ");
        } finally {
            end.countDown();
        }
    }

    @Test
    void whatThereIsNoHarnessForFailsOrIsSkippedAndSaysWhy() {
        assertThat(verdict(new RuleRun(() -> {
                    throw new IllegalStateException("no server at redis://:hunter2@localhost");
                })))
                .isEqualTo(RuleVerdict.of(
                        Rule.ALL.get(0),
                        RuleVerdict.Outcome.FAILED,
                        "java.lang.IllegalStateException: no server at redis://***@localhost"));
        assertThat(verdict(new RuleRun(() -> {
                    throw new TestAbortedException("Assumption failed: not today");
                })))
                .isEqualTo(RuleVerdict.of(Rule.ALL.get(0), RuleVerdict.Outcome.SKIPPED, "not today"));
    }

    private static RuleVerdict verdict(RuleRun run) {
        return run.run("none", Rule.ALL.subList(0, 1), Progress.none()).rules().get(0);
    }

    @Test
    void nothingIsLoggedUntilTheEndOfTheRun() {
        Level before = Logger.getLogger("").getLevel();
        List<Level> during = new CopyOnWriteArrayList<>();

        verdict(new RuleRun(() -> {
            during.add(Logger.getLogger("").getLevel());
            throw new TestAbortedException("not today");
        }));

        assertThat(during).containsExactly(Level.OFF);
        assertThat(Logger.getLogger("").getLevel()).isEqualTo(before);
    }

    @Test
    void rulesRunOnServersThatCannotBeMadeToFail() {
        ConfiguredStrategy candidate =
                ConfiguredStrategy.of(new SetNxPxStrategyProvider(), Map.of("client", "lettuce"));
        Rule rule = Rule.ALL.stream()
                .filter(it -> it.id().equals("4.1"))
                .findFirst()
                .orElseThrow();
        try (Backend backend = new Servers(List.of()).backend(candidate.provider())) {
            warmUp(candidate, backend.endpoints());
            ConformanceResult result = new RuleRun(() -> new DirectHarness(candidate, backend.endpoints()))
                    .run(candidate.label(), List.of(rule), Progress.none());

            assertThat(result.rules()).containsExactly(RuleVerdict.of(rule, RuleVerdict.Outcome.PASSED, null));
        }
    }

    @Test
    void whatARuleTriedAgainIsCounted() {
        Rule rule = Rule.ALL.stream()
                .filter(it -> it.id().equals("2.22"))
                .findFirst()
                .orElseThrow();
        ConfiguredStrategy late = ConfiguredStrategy.of(new LateAtFirst(), Map.of());
        try (Backend backend = new Servers(List.of()).backend(late.provider())) {
            ConformanceResult result = new RuleRun(() -> new DirectHarness(late, backend.endpoints()))
                    .run(late.label(), List.of(rule), Progress.none());

            // On a busy machine the rule may try again once more.
            assertThat(result.retries()).isPositive();
            assertThat(result.rules()).containsExactly(RuleVerdict.of(rule, RuleVerdict.Outcome.PASSED, null));
        }
    }

    /** Loads the classes of the client, for which a rule would not have the time on a busy machine. */
    private static void warmUp(ConfiguredStrategy candidate, String endpoints) {
        LockConfig config =
                candidate.configure(LockConfig.builder().endpoints(endpoints).commandTimeout(Duration.ofMinutes(1)));
        try (DistributedLockFactory factory = DistributedLocks.getInstance(candidate.provider(), config)) {
            DistributedLock lock = factory.getLock("warm-up");
            lock.lock();
            lock.unlock();
        }
    }

    /** A strategy whose first grant arrives when the lease is over. */
    private static final class LateAtFirst implements LockStrategyProvider {
        private final LockStrategyProvider inTime = new SetNxPxStrategyProvider();
        private final AtomicBoolean asked = new AtomicBoolean();

        @Override
        public String name() {
            return "late-at-first";
        }

        @Override
        public StrategyProfile profile() {
            return inTime.profile();
        }

        @Override
        public List<StrategyOption> options() {
            return inTime.options();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            return late(DistributedLockFactory.class, inTime.newFactory(config));
        }

        private <T> T late(Class<T> type, T target) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        if (method.getName().equals("lock") && !asked.getAndSet(true)) {
                            throw new LockBackendException(LockBackendException.Reason.OUTCOME_UNKNOWN, "too late");
                        }
                        try {
                            Object result = method.invoke(target, args);
                            return result instanceof DistributedLock lock ? late(DistributedLock.class, lock) : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }

    /** Waits for the end of the test whatever happens. */
    private record Hanging(CountDownLatch end) implements LockHarness, LockStrategyProvider {
        @Override
        public LockStrategyProvider provider() {
            return this;
        }

        @Override
        public LockConfig config() {
            return LockConfig.builder().build();
        }

        @Override
        public String name() {
            return "hanging";
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile("hangs", Set.of(), Set.of());
        }

        @Override
        public List<StrategyOption> options() {
            return List.of();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            boolean ended = false;
            while (!ended) {
                try {
                    end.await();
                    ended = true;
                } catch (InterruptedException e) {
                    // Keeps waiting, as a lock does that ignores interrupts.
                }
            }
            throw new IllegalStateException("too late");
        }
    }
}
