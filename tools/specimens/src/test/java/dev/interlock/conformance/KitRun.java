// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.run.CertificateWriter;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs the kit, many rules at once, since most rules wait most of the time. */
final class KitRun {
    /** The largest number of runs of a rule until its verdict stands. */
    private static final int RUNS_FOR_A_VERDICT = 8;

    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_\\w+");
    private static final String SUBJECT = "subject";

    /** The lock under test, by run and rule. */
    private static final Map<String, Map<String, Supplier<LockHarness>>> SUBJECTS = new ConcurrentHashMap<>();

    private static final AtomicInteger RUNS = new AtomicInteger();

    private KitRun() {}

    /**
     * Returns the numbers of the rules that a wrong lock breaks, each with its failure message. A wrong lock may be
     * caught only if a race goes against it, so rules with an unexpected result are run again: one broken run suffices
     * for a rule that should break, and one kept run for a rule that should not. The reruns are reported.
     *
     * @param failures what the rules said in a first run
     */
    static Map<String, String> verdict(
            Map<String, String> failures,
            Supplier<LockHarness> lock,
            int rulesAtOnce,
            Set<String> rules,
            Set<String> expected,
            Consumer<Set<String>> toldOfReruns) {
        Map<String, String> verdict = new TreeMap<>(failures);
        for (int run = 1; run < RUNS_FOR_A_VERDICT && !verdict.keySet().equals(expected); run++) {
            Set<String> doubtful = new TreeSet<>(rules);
            doubtful.removeIf(rule -> verdict.containsKey(rule) == expected.contains(rule));
            toldOfReruns.accept(doubtful);
            Map<String, String> again = failures(lock, rulesAtOnce, doubtful);
            doubtful.forEach(rule -> verdict.compute(rule, (key, said) -> again.get(rule)));
        }
        return verdict;
    }

    /** Runs some of the rules, and returns the number of each rule that fails, with its failure message. */
    static Map<String, String> failures(Supplier<LockHarness> lock, int rulesAtOnce, Set<String> rules) {
        Map<String, Supplier<LockHarness>> locks = new HashMap<>();
        rules.forEach(rule -> locks.put(rule, lock));
        return failures(locks, rulesAtOnce);
    }

    /** Runs each rule with its own lock, and returns the number of each rule that fails, with its failure message. */
    static Map<String, String> failures(Map<String, Supplier<LockHarness>> locks, int rulesAtOnce) {
        String run = Integer.toString(RUNS.incrementAndGet());
        SUBJECTS.put(run, locks);
        Map<String, String> failures = new TreeMap<>();
        EngineTestKit.engine("junit-jupiter")
                .selectors(tests().filter(method -> locks.containsKey(number(method.getName())))
                        .map(method -> selectMethod(Kit.class, method))
                        .toArray(DiscoverySelector[]::new))
                .configurationParameter(SUBJECT, run)
                .configurationParameter(CertificateWriter.PROPERTY, CertificateWriter.NONE)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter(
                        "junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter(
                        "junit.jupiter.execution.parallel.config.fixed.parallelism", Integer.toString(rulesAtOnce))
                .execute()
                .testEvents()
                .failed()
                .stream()
                .forEach(event -> failures.put(number(event.getTestDescriptor().getDisplayName()), message(event)));
        SUBJECTS.remove(run);
        return failures;
    }

    /** The numbers of all rules. */
    static Set<String> rules() {
        return tests().map(method -> number(method.getName())).collect(Collectors.toCollection(TreeSet::new));
    }

    static Set<String> rulesAboutVirtualThreads() {
        return tests().filter(method -> method.isAnnotationPresent(Needs.class)
                        && method.getAnnotation(Needs.class).virtualThreads())
                .map(method -> number(method.getName()))
                .collect(Collectors.toSet());
    }

    private static Stream<Method> tests() {
        return Arrays.stream(DistributedLockConformance.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class));
    }

    private static String number(String test) {
        Matcher matcher = RULE.matcher(test);
        return matcher.lookingAt() ? matcher.group(1) + "." + matcher.group(2) : test;
    }

    private static String message(Event event) {
        return event.getPayload(TestExecutionResult.class)
                .flatMap(TestExecutionResult::getThrowable)
                .map(Throwable::toString)
                .orElse("");
    }

    /** The build does not run this class as a test; only the enclosing class does. */
    @ExtendWith(SubjectOfTheRun.class)
    static final class Kit extends DistributedLockConformance {
        private Supplier<LockHarness> subject = () -> {
            throw new IllegalStateException("no subject");
        };

        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }

    /** JUnit creates the instances of the kit, and several runs may go on at once. */
    private static final class SubjectOfTheRun implements BeforeEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            String run = context.getConfigurationParameter(SUBJECT).orElseThrow();
            String rule = number(context.getRequiredTestMethod().getName());
            ((Kit) context.getRequiredTestInstance()).subject =
                    SUBJECTS.get(run).get(rule);
        }
    }
}
