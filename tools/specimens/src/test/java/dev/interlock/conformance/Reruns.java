// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.TestReporter;

/**
 * Counts the rules that were run again because a wrong lock broke less, or more, than it should.
 *
 * <p>Published as {@value #COUNT}. The system property of that name is the number that one test may have; without it, reruns are
 * only reported.
 */
final class Reruns {
    static final String COUNT = "interlock.wronglocks.reruns";

    private final Map<String, Set<String>> rulesByLock = new TreeMap<>();
    private int count;

    static Optional<Integer> budget() {
        return Optional.ofNullable(Integer.getInteger(COUNT));
    }

    synchronized void add(String lock, Set<String> rules) {
        count += rules.size();
        rulesByLock.computeIfAbsent(lock, any -> new TreeSet<>()).addAll(rules);
    }

    synchronized int count() {
        return count;
    }

    synchronized void publish(TestReporter reporter) {
        reporter.publishEntry(Map.of(COUNT, Integer.toString(count), COUNT + ".rules", rulesByLock.toString()));
    }

    synchronized void assertWithin(int budget) {
        if (count > budget) {
            throw new AssertionError("rules were run again " + count + " times, and " + COUNT + " allows " + budget
                    + "; the rules of each lock: " + rulesByLock);
        }
    }
}
