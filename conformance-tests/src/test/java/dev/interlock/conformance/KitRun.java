// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs the whole kit on a lock in memory, many rules at once, because most of them wait most of the time. */
final class KitRun {
    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_\\w+");
    private static final int RULES_AT_ONCE = 16;

    /** The lock for the run that goes on; the kit's class is made by the engine, which passes nothing on. */
    private static volatile Supplier<LockHarness> subject = () -> new MemoryHarness(new WrongLock("none"));

    private KitRun() {}

    /** Returns the number of each rule that fails, with what it says. */
    static Map<String, String> failures(WrongLock lock) {
        return failures(() -> new MemoryHarness(lock), RULES_AT_ONCE);
    }

    static Map<String, String> failures(Supplier<LockHarness> lock, int rulesAtOnce) {
        subject = lock;
        Map<String, String> failures = new TreeMap<>();
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Kit.class))
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
        return failures;
    }

    /** The numbers of all rules. */
    static Set<String> rules() {
        return Arrays.stream(DistributedLockConformance.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> number(method.getName()))
                .collect(Collectors.toCollection(TreeSet::new));
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

    /** Not found by the build, which runs it through this class alone. */
    static final class Kit extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            return subject.get();
        }
    }
}
