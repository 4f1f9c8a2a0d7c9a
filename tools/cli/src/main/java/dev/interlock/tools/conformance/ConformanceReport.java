// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.tools.backends.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The results of a run of the kit.
 *
 * @param schemaVersion the version of this form, which changes when a reader of an older one would be misled
 * @param finishedAt when it was finished, in ISO-8601 and UTC
 * @param interlock the version of Interlock
 * @param machine the machine on which it was made
 * @param strategies the results of each strategy
 */
public record ConformanceReport(
        int schemaVersion, String finishedAt, String interlock, Machine machine, List<Entry> strategies) {
    public static final String KIND = "conformance";
    public static final int SCHEMA_VERSION = 1;

    /** Returns the versions of Redis of the results. */
    public Set<String> redisVersions() {
        return strategies.stream()
                .map(Entry::redisVersion)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the results by label, of the strategies with which the kit could run. */
    public Map<String, ConformanceResult> results() {
        Map<String, ConformanceResult> results = new LinkedHashMap<>();
        for (Entry entry : strategies) {
            if (entry.conformance() != null) {
                results.put(entry.label(), entry.conformance());
            }
        }
        return results;
    }

    /** Returns the problems, one sentence each. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        results().forEach((label, result) -> problems.addAll(result.brokenRules(label)));
        for (Entry entry : strategies) {
            if (entry.failure() != null) {
                problems.add(
                        "FAILED: the kit could not run with strategy \"" + entry.label() + "\": " + entry.failure());
            }
        }
        return problems;
    }

    /**
     * The results of one strategy.
     *
     * @param name the name of the strategy
     * @param options all its options and their values, those that were left at their defaults too
     * @param label name and options, for people
     * @param redisVersion the version of the first server
     * @param servers the number of servers that its clients are given; missing after a failure
     * @param conformance which rules it keeps; missing after a failure
     * @param failure why the kit could not run
     */
    public record Entry(
            String name,
            Map<String, String> options,
            String label,
            @Nullable String redisVersion,
            @Nullable Integer servers,
            @Nullable ConformanceResult conformance,
            @Nullable String failure) {}
}
