// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.TestReporter;

/**
 * Counts the rules that were run again because a wrong lock broke less, or more, than it should.
 *
 * <p>Published as {@value #COUNT}. The system property of that name is the number that one test may have; without it,
 * reruns are only reported.
 */
final class Reruns {
    static final String COUNT = "interlock.wronglocks.reruns";

    /** How often each rule was run again, by lock. */
    private final Map<String, Map<String, Integer>> rulesByLock = new TreeMap<>();

    static Optional<Integer> budget() {
        return Optional.ofNullable(Integer.getInteger(COUNT));
    }

    synchronized void add(String lock, Set<String> rules) {
        Map<String, Integer> ofLock = rulesByLock.computeIfAbsent(lock, any -> new TreeMap<>());
        rules.forEach(rule -> ofLock.merge(rule, 1, Integer::sum));
    }

    synchronized int count() {
        return rulesByLock.values().stream()
                .flatMap(ofLock -> ofLock.values().stream())
                .mapToInt(Integer::intValue)
                .sum();
    }

    synchronized void publish(TestReporter reporter) {
        reporter.publishEntry(Map.of(COUNT, Integer.toString(count()), COUNT + ".rules", rulesByLock.toString()));
    }

    synchronized void assertWithin(int budget) {
        if (count() > budget) {
            throw new AssertionError("rules were run again " + count() + " times, and " + COUNT + " allows " + budget
                    + "; the rules of each lock, and how often: " + rulesByLock);
        }
    }
}
