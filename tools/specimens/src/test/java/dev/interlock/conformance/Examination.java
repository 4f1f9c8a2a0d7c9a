// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.interlock.conformance.harness.LockHarness;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestReporter;

/**
 * Runs the kit against several wrong locks at once, since the rules mostly wait, and makes a test of each verdict. A
 * last test reports how many rules were run again, and fails if that exceeds the budget.
 *
 * @param harness opens a harness for a lock
 * @param breaks returns the numbers of the rules that a lock breaks
 * @param runsAtOnce how many runs of the kit go on at once
 * @param rulesAtOnce how many rules of a run
 */
record Examination<T>(
        Function<T, Supplier<LockHarness>> harness, Function<T, Set<String>> breaks, int runsAtOnce, int rulesAtOnce) {
    private record Subject<T>(T lock, Set<String> rules) {}

    private record Run<T>(T lock, Set<String> expected, CompletableFuture<Map<String, String>> verdict) {}

    /** Makes sure that each lock breaks all rules that it should. */
    Stream<DynamicTest> ofOwnRules(Stream<T> locks, TestReporter reporter) {
        return of(locks, this::expected, reporter);
    }

    /** Makes sure that each lock breaks all rules that it should, of those about virtual threads. */
    Stream<DynamicTest> ofOwnRulesAboutVirtualThreads(Stream<T> locks, TestReporter reporter) {
        return of(
                locks.filter(lock -> !ownRulesAboutVirtualThreads(lock).isEmpty()),
                this::ownRulesAboutVirtualThreads,
                reporter);
    }

    private Set<String> ownRulesAboutVirtualThreads(T lock) {
        Set<String> rules = expected(lock);
        rules.retainAll(KitRun.rulesAboutVirtualThreads());
        return rules;
    }

    /** Makes sure that, of some rules, each lock breaks exactly those that it should. */
    Stream<DynamicTest> of(Stream<T> locks, Function<T, Set<String>> rules, TestReporter reporter) {
        Reruns reruns = new Reruns();
        ExecutorService runs = Executors.newFixedThreadPool(runsAtOnce);
        List<Run<T>> all = new ArrayList<>();
        for (List<Subject<T>> batch : batches(locks.map(lock -> new Subject<>(lock, rules.apply(lock))))) {
            CompletableFuture<Map<String, String>> failures =
                    CompletableFuture.supplyAsync(() -> failures(batch), runs);
            for (Subject<T> subject : batch) {
                all.add(new Run<>(
                        subject.lock(),
                        expected(subject),
                        failures.thenApplyAsync(said -> verdict(subject, said, reruns), runs)));
            }
        }
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

    /**
     * Puts locks whose rules differ into one run, with at most as many rules as run at once: JUnit looks at all methods
     * of the kit before each run, which costs more than most rules do.
     */
    private List<List<Subject<T>>> batches(Stream<Subject<T>> subjects) {
        List<List<Subject<T>>> batches = new ArrayList<>();
        subjects.forEach(subject -> batches.stream()
                .filter(batch -> hasPlaceFor(subject, batch))
                .findFirst()
                .orElseGet(() -> {
                    batches.add(new ArrayList<>());
                    return batches.get(batches.size() - 1);
                })
                .add(subject));
        return batches;
    }

    private boolean hasPlaceFor(Subject<T> subject, List<Subject<T>> batch) {
        Set<String> taken =
                batch.stream().flatMap(each -> each.rules().stream()).collect(Collectors.toSet());
        return taken.size() + subject.rules().size() <= rulesAtOnce && Collections.disjoint(taken, subject.rules());
    }

    private Map<String, String> failures(List<Subject<T>> batch) {
        Map<String, Supplier<LockHarness>> locks = new HashMap<>();
        batch.forEach(subject -> subject.rules().forEach(rule -> locks.put(rule, harness.apply(subject.lock()))));
        return KitRun.failures(locks, rulesAtOnce);
    }

    private Map<String, String> verdict(Subject<T> subject, Map<String, String> failures, Reruns reruns) {
        Map<String, String> ofLock = new TreeMap<>(failures);
        ofLock.keySet().retainAll(subject.rules());
        return KitRun.verdict(
                ofLock,
                harness.apply(subject.lock()),
                rulesAtOnce,
                subject.rules(),
                expected(subject),
                again -> reruns.add(subject.lock().toString(), again));
    }

    /** The rules that a lock breaks, of those that run against it. */
    private Set<String> expected(Subject<T> subject) {
        Set<String> rules = expected(subject.lock());
        rules.retainAll(subject.rules());
        return rules;
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
