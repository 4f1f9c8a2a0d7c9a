// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs rules of the kit, a few at a time, because most rules wait most of the time. */
final class RuleRun {
    private static final int RULES_AT_ONCE = 4;

    /** The key under which the kit publishes with the test of a rule how often it tried again. */
    private static final String RETRIES = "interlock.conformance.retries";

    /**
     * The time limit of a rule, and of its clean-up; rules have bounds of their own, which end most of them long
     * before.
     */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Ignores other test engines, listeners and a configuration file that may be on the class path. */
    private static final LauncherConfig JUPITER_ALONE = LauncherConfig.builder()
            .enableTestEngineAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enableLauncherDiscoveryListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .enableTestExecutionListenerAutoRegistration(false)
            .addTestEngines(new JupiterTestEngine())
            .build();

    private final Class<?> kit;
    private final Supplier<?> source;
    private final Duration limit;

    /** Prepares a run that gets a harness for each rule. */
    RuleRun(Supplier<LockHarness> harnesses) {
        this(harnesses, LIMIT);
    }

    RuleRun(Supplier<LockHarness> harnesses, Duration limit) {
        this(Kit.class, harnesses, limit);
    }

    private RuleRun(Class<?> kit, Supplier<?> source, Duration limit) {
        this.kit = kit;
        this.source = source;
        this.limit = limit;
    }

    /** Prepares a run of the rules for plain locks, with locks for each rule. */
    static RuleRun ofPlainLocks(Supplier<PlainLocks> locks) {
        return new RuleRun(PlainKit.class, locks, LIMIT);
    }

    /** Runs rules, each of which is a step of progress. */
    ConformanceResult run(String subject, List<Rule> rules, Progress progress) {
        Listener listener = new Listener(subject, rules, progress);
        // Rules make servers fail, and strategies log that. Such messages are not shown.
        Logger root = Logger.getLogger("");
        Level before = root.getLevel();
        root.setLevel(Level.OFF);
        try (LauncherSession session = LauncherFactory.openSession(JUPITER_ALONE)) {
            Kit.Harnesses.put(session.getStore(), source);
            session.getLauncher()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(rules.stream()
                                    .map(rule -> DiscoverySelectors.selectMethod(kit, rule.method()))
                                    .toList())
                            .enableImplicitConfigurationParameters(false)
                            .configurationParameters(parameters())
                            .forExecution()
                            .listeners(listener)
                            .build());
        } finally {
            root.setLevel(before);
        }
        return new ConformanceResult(rules.stream().map(listener::verdict).toList(), listener.retries());
    }

    private Map<String, String> parameters() {
        return Map.of(
                // The kit's certificates are not needed: the command line has reports of its own.
                "interlock.conformance.certificates", "none",
                "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.mode.default", "concurrent",
                "junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL",
                "junit.jupiter.execution.parallel.config.strategy", "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism", Integer.toString(RULES_AT_ONCE),
                "junit.jupiter.execution.timeout.default", limit.toMillis() + " ms",
                // A lock that hangs may ignore an interrupt.
                "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD");
    }

    /** Collects verdicts, from the threads of all rules. */
    private static final class Listener implements TestExecutionListener {
        private final String subject;
        private final Map<String, Rule> rules;
        private final Progress progress;
        private final Map<Rule, RuleVerdict> verdicts = new ConcurrentHashMap<>();
        private final AtomicInteger retries = new AtomicInteger();

        Listener(String subject, List<Rule> rules, Progress progress) {
            this.subject = subject;
            this.rules = rules.stream().collect(Collectors.toMap(Rule::method, Function.identity()));
            this.progress = progress;
        }

        private @Nullable Rule rule(TestIdentifier test) {
            return test.getSource()
                    .filter(source -> test.isTest() && source instanceof MethodSource)
                    .map(source -> rules.get(((MethodSource) source).getMethodName()))
                    .orElse(null);
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            Rule rule = rule(test);
            if (rule != null) {
                synchronized (progress) {
                    progress.begin(subject + ": " + rule.id() + " " + rule.name());
                }
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Rule rule = rule(test);
            if (rule != null) {
                verdicts.put(rule, RuleVerdict.of(rule, outcome(result), message(result)));
                synchronized (progress) {
                    progress.end();
                }
            }
        }

        @Override
        public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            String count = entry.getKeyValuePairs().get(RETRIES);
            if (count != null) {
                retries.addAndGet(Integer.parseInt(count));
            }
        }

        int retries() {
            return retries.get();
        }

        private static Outcome outcome(TestExecutionResult result) {
            return switch (result.getStatus()) {
                case SUCCESSFUL -> Outcome.PASSED;
                case FAILED -> Outcome.FAILED;
                case ABORTED -> Outcome.SKIPPED;
            };
        }

        private static @Nullable String message(TestExecutionResult result) {
            return result.getThrowable()
                    .map(Messages::of)
                    .map(message -> message.replaceFirst("^Assumption failed: ", ""))
                    .orElse(null);
        }

        RuleVerdict verdict(Rule rule) {
            RuleVerdict verdict = verdicts.get(rule);
            if (verdict == null) {
                throw new ToolException("the kit did not run rule " + rule.id() + ", " + rule.name());
            }
            return verdict;
        }
    }
}
