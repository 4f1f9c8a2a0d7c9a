// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.interlock.conformance.harness.LockHarness;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestReporter;

/**
 * Runs the kit against several wrong locks at once, since the rules mostly wait, and makes a test of each verdict. A
 * last test reports how many rules were run again, and fails if that exceeds the budget.
 *
 * @param harness opens a harness for a lock
 * @param breaks returns the numbers of the rules that a lock breaks
 * @param locksAtOnce how many locks to run it against at once
 * @param rulesAtOnce how many rules for each of them
 */
record Examination<T>(
        Function<T, Supplier<LockHarness>> harness, Function<T, Set<String>> breaks, int locksAtOnce, int rulesAtOnce) {
    private record Run<T>(T lock, Set<String> expected, CompletableFuture<Map<String, String>> verdict) {}

    /** Makes sure that each lock breaks all rules that it should. */
    Stream<DynamicTest> ofOwnRules(Stream<T> locks, TestReporter reporter) {
        return of(locks, this::expected, reporter);
    }

    /** Makes sure that, of some rules, each lock breaks exactly those that it should. */
    Stream<DynamicTest> of(Stream<T> locks, Function<T, Set<String>> rules, TestReporter reporter) {
        Reruns reruns = new Reruns();
        ExecutorService runs = Executors.newFixedThreadPool(locksAtOnce);
        List<Run<T>> all = locks.map(lock -> {
                    Set<String> expected = expected(lock);
                    return new Run<>(
                            lock,
                            expected,
                            CompletableFuture.supplyAsync(
                                    () -> KitRun.verdict(
                                            harness.apply(lock),
                                            rulesAtOnce,
                                            rules.apply(lock),
                                            expected,
                                            again -> reruns.add(lock.toString(), again)),
                                    runs));
                })
                .toList();
        Stream<DynamicTest> verdicts = all.stream()
                .map(run -> dynamicTest(run.lock().toString(), () -> {
                    Map<String, String> verdict = run.verdict().join();
                    assertThat(verdict.keySet())
                            .as("rules that " + run.lock() + " breaks; what they said: " + verdict)
                            .isEqualTo(run.expected());
                }));
        DynamicTest budget = dynamicTest("no more rules are run again than the budget allows", () -> {
            all.forEach(run -> run.verdict().join());
            reruns.publish(reporter);
            Reruns.budget().ifPresent(reruns::assertWithin);
        });
        return Stream.concat(verdicts, Stream.of(budget)).onClose(runs::shutdownNow);
    }

    /** The rules that a lock breaks, without those that are skipped on this JVM. */
    private Set<String> expected(T lock) {
        Set<String> rules = new TreeSet<>(breaks.apply(lock));
        if (Runtime.version().feature() < 21) {
            rules.removeAll(KitRun.rulesAboutVirtualThreads());
        }
        return rules;
    }
}
