// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The sentences around the tables of a report. */
final class Headlines {
    static final String TITLE = "Interlock: strategies side by side";
    static final String CAVEAT =
            "Only ratios between strategies travel from one machine to another; the figures themselves do not.";

    private Headlines() {}

    /** Where and how the figures were found. */
    static String setting(Report report) {
        Set<String> versions = new LinkedHashSet<>();
        for (StrategyReport strategy : report.strategies()) {
            if (strategy.redisVersion() != null) {
                versions.add(strategy.redisVersion());
            }
        }
        Machine machine = report.machine();
        return report.finishedAt() + ", effort " + report.effort() + "; Redis "
                + (versions.isEmpty() ? "unknown" : String.join(", ", versions)) + "; Java " + machine.java() + "; "
                + machine.os() + ", " + machine.cores() + (machine.cores() == 1 ? " core" : " cores");
    }

    /** What went wrong, a sentence for each strategy that it went wrong with. */
    static List<String> problems(Report report) {
        List<String> problems = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            GuardedCounter.Result counter = strategy.guardedCounter();
            if (counter != null && !counter.correct()) {
                problems.add("FAILED: strategy \"" + strategy.name() + "\" lost " + counter.lost() + " of "
                        + counter.expected() + " updates: its lock let two holders in at once.");
            }
            if (strategy.failure() != null) {
                problems.add(
                        "FAILED: strategy \"" + strategy.name() + "\" could not be measured: " + strategy.failure());
            }
        }
        return problems;
    }
}
