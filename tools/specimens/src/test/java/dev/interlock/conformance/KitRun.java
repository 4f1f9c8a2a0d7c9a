// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.rules.InterruptRules;
import dev.interlock.conformance.internal.rules.LifecycleRules;
import dev.interlock.conformance.internal.rules.WaitingRules;
import dev.interlock.conformance.internal.run.CertificateWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
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
    private static final Map<String, Supplier<LockHarness>> SUBJECTS = new ConcurrentHashMap<>();
    private static final AtomicInteger RUNS = new AtomicInteger();

    private KitRun() {}

    /**
     * Returns the numbers of the rules that a wrong lock breaks, each with its failure message. A wrong lock may be
     * caught only if a race goes against it, so rules with an unexpected result are run again: one broken run suffices
     * for a rule that should break, and one kept run for a rule that should not. The reruns are reported.
     */
    static Map<String, String> verdict(
            Supplier<LockHarness> lock,
            int rulesAtOnce,
            Set<String> rules,
            Set<String> expected,
            Consumer<Set<String>> toldOfReruns) {
        Map<String, String> verdict = failures(lock, rulesAtOnce, rules);
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
        String run = Integer.toString(RUNS.incrementAndGet());
        SUBJECTS.put(run, lock);
        List<Method> tests = tests().filter(method -> rules.contains(number(method.getName())))
                .toList();
        Class<?> kit = kitWith(tests);
        Map<String, String> failures = new TreeMap<>();
        EngineTestKit.engine("junit-jupiter")
                .selectors(tests.stream()
                        .map(method -> selectMethod(kit, method.getName()))
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

    /**
     * Returns the smallest kit that has all of some rules: each run costs about as much as the square of the number of
     * methods in its class, since JUnit looks for overridden ones.
     */
    private static Class<?> kitWith(List<Method> tests) {
        return Stream.of(FourChapters.class, EightChapters.class, ElevenChapters.class)
                .filter(kit ->
                        tests.stream().allMatch(test -> test.getDeclaringClass().isAssignableFrom(kit)))
                .findFirst()
                .orElse(Kit.class);
    }

    // The build runs none of these as a test; only the enclosing class does.

    @ExtendWith(SubjectOfTheRun.class)
    static final class Kit extends DistributedLockConformance {
        private final Supplier<LockHarness> subject;

        Kit(Supplier<LockHarness> subject) {
            this.subject = subject;
        }

        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }

    @ExtendWith(SubjectOfTheRun.class)
    static final class ElevenChapters extends LifecycleRules {
        private final Supplier<LockHarness> subject;

        ElevenChapters(Supplier<LockHarness> subject) {
            this.subject = subject;
        }

        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }

    @ExtendWith(SubjectOfTheRun.class)
    static final class EightChapters extends WaitingRules {
        private final Supplier<LockHarness> subject;

        EightChapters(Supplier<LockHarness> subject) {
            this.subject = subject;
        }

        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }

    @ExtendWith(SubjectOfTheRun.class)
    static final class FourChapters extends InterruptRules {
        private final Supplier<LockHarness> subject;

        FourChapters(Supplier<LockHarness> subject) {
            this.subject = subject;
        }

        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }

    /** JUnit creates the instances of the kit, and several runs may go on at once. */
    private static final class SubjectOfTheRun implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getDeclaringExecutable() instanceof Constructor;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return SUBJECTS.get(context.getConfigurationParameter(SUBJECT).orElseThrow());
        }
    }
}
