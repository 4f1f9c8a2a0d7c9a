// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.measure.GuardedCounter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The sentences around the tables of a report. */
public final class Headlines {
    static final String TITLE = "Interlock: strategies side by side";
    public static final String CAVEAT =
            "Only ratios between strategies travel from one machine to another; the figures themselves do not.";

    private Headlines() {}

    /** Returns how the report was made: time, version, commit, servers, machine and load. */
    static String setting(Report report) {
        Set<String> versions = new LinkedHashSet<>();
        for (StrategyReport strategy : report.strategies()) {
            if (strategy.redisVersion() != null) {
                versions.add(strategy.redisVersion());
            }
        }
        if (report.faults() != null && report.faults().redisVersion() != null) {
            versions.add(report.faults().redisVersion());
        }
        return report.finishedAt() + "; Interlock " + report.interlock()
                + (report.commit() == null ? "" : " (commit " + report.commit() + ")") + ", effort " + report.effort()
                + "; "
                + redis(versions) + "; " + report.machine().description() + load(report);
    }

    private static String load(Report report) {
        List<Double> load = report.load();
        return load == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; load average %.1f at the beginning and %.1f at the end",
                        load.get(0),
                        load.get(load.size() - 1));
    }

    /** The versions of Redis that there were. */
    static String redis(Set<String> versions) {
        return "Redis " + (versions.isEmpty() ? "unknown" : String.join(", ", versions));
    }

    /** Returns the problems, a sentence for each strategy that has one. */
    static List<String> problems(Report report) {
        List<String> problems = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            GuardedCounter.Result counter = strategy.guardedCounter();
            if (counter != null && !counter.correct()) {
                problems.add("FAILED: strategy \"" + strategy.name() + "\" lost " + counter.lost() + " of "
                        + counter.expected() + " updates: its lock let two holders in at once.");
            }
            if (strategy.conformance() != null && strategy.ours()) {
                problems.addAll(strategy.conformance().brokenRules(strategy.name()));
            }
            if (strategy.failure() != null) {
                problems.add(
                        "FAILED: strategy \"" + strategy.name() + "\" could not be measured: " + strategy.failure());
            }
        }
        if (report.faults() != null) {
            problems.addAll(report.faults().problems());
        }
        return problems;
    }
}
