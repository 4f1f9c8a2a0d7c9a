// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The kit against locks of which it is known what is wrong with them. */
class WrongLocksTest {
    private static final int LOCKS_AT_ONCE = 8;
    private static final int RULES_AT_ONCE = 24;

    private record Run(WrongLock lock, CompletableFuture<Map<String, String>> failures) {}

    @TestFactory
    Stream<DynamicTest> aWrongLockBreaksExactlyTheRulesThatItShould() {
        ExecutorService runs = Executors.newFixedThreadPool(LOCKS_AT_ONCE);
        List<Run> all = Stream.concat(Stream.of(new WrongLock("correct")), WrongLocks.all())
                .map(lock -> new Run(lock, CompletableFuture.supplyAsync(() -> failures(lock), runs)))
                .toList();
        return all.stream()
                .map(run -> dynamicTest(run.lock().name(), () -> {
                    Map<String, String> failures = run.failures().join();
                    assertThat(new TreeSet<>(failures.keySet()))
                            .as("rules that " + run.lock() + " breaks; what they said: " + failures)
                            .isEqualTo(run.lock().breaks());
                }))
                .onClose(runs::shutdownNow);
    }

    private static Map<String, String> failures(WrongLock lock) {
        return KitRun.failures(() -> new MemoryHarness(lock), RULES_AT_ONCE);
    }

    @Test
    void everyRuleIsBrokenBySomeWrongLock() {
        Set<String> broken = Stream.concat(
                        WrongLocks.all().map(WrongLock::breaks), Specimens.all().map(Specimen::breaks))
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        assertThat(broken).containsExactlyInAnyOrderElementsOf(KitRun.rules());
    }
}
