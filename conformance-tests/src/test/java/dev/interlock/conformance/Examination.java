// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs the kit against several wrong locks at once, because they make its rules wait, and makes a test of each verdict.
 *
 * @param harness how to get at a lock
 * @param breaks the numbers of the rules that it breaks
 * @param locksAtOnce how many locks to run it against at once
 * @param rulesAtOnce how many rules for each of them
 */
record Examination<T>(
        Function<T, Supplier<LockHarness>> harness, Function<T, Set<String>> breaks, int locksAtOnce, int rulesAtOnce) {
    private record Run<T>(T lock, CompletableFuture<Map<String, String>> verdict) {}

    /** Makes sure that each lock breaks, of some rules, just those that it should. */
    Stream<DynamicTest> of(Stream<T> locks, Function<T, Set<String>> rules) {
        ExecutorService runs = Executors.newFixedThreadPool(locksAtOnce);
        List<Run<T>> all = locks.map(lock -> new Run<>(
                        lock,
                        CompletableFuture.supplyAsync(
                                () -> KitRun.verdict(
                                        harness.apply(lock), rulesAtOnce, rules.apply(lock), breaks.apply(lock)),
                                runs)))
                .toList();
        return all.stream()
                .map(run -> dynamicTest(run.lock().toString(), () -> {
                    Map<String, String> verdict = run.verdict().join();
                    assertThat(verdict.keySet())
                            .as("rules that " + run.lock() + " breaks; what they said: " + verdict)
                            .isEqualTo(breaks.apply(run.lock()));
                }))
                .onClose(runs::shutdownNow);
    }
}
