// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The lines of scripts that have run on any server, and the outcomes of their conditions. Safe to use from any thread.
 */
public final class ScriptCoverage {
    private final Map<String, Lines> bySource = new HashMap<>();

    /**
     * The lines of a script that have code, those that have run, and the outcomes of its conditions: of the condition
     * with number {@code n}, {@code 2 n} if it was true, and {@code 2 n + 1} if it was false.
     */
    private record Lines(BitSet code, BitSet run, BitSet outcomes) {}

    /**
     * The lines of one resource, and the outcomes of its conditions.
     *
     * @param count how many lines have code
     * @param missed those of them that have not run, by their number
     * @param outcomes how many outcomes its conditions may have, two each
     * @param unmet those that no run has had, each with its line and the text of the condition
     */
    public record Report(int count, List<Integer> missed, int outcomes, List<String> unmet) {}

    /** Creates one in which no line has run. */
    public ScriptCoverage() {}

    /** Notes what has run of a script. */
    synchronized void note(String source, BitSet code, BitSet run, BitSet outcomes) {
        Lines lines = bySource.computeIfAbsent(source, any -> new Lines(new BitSet(), new BitSet(), new BitSet()));
        lines.code.or(code);
        lines.run.or(run);
        lines.outcomes.or(outcomes);
    }

    /**
     * Tells which lines of some resources have run, whichever scripts they are a part of.
     *
     * @param resources the text of each resource by its name
     * @return the lines of each
     */
    public synchronized Map<String, Report> of(Map<String, String> resources) {
        Map<String, Report> reports = new TreeMap<>();
        resources.forEach((name, text) -> reports.put(name, report(text)));
        return reports;
    }

    private Report report(String text) {
        String[] lines = text.split("\n", -1);
        BitSet code = new BitSet();
        BitSet run = new BitSet();
        ScriptConditions conditions = ScriptConditions.of(text);
        BitSet outcomes = new BitSet();
        bySource.forEach((source, seen) -> {
            int at = source.indexOf(text);
            if (at >= 0) {
                int before = (int)
                        source.substring(0, at).chars().filter(c -> c == '\n').count();
                code.or(seen.code.get(before, before + lines.length));
                run.or(seen.run.get(before, before + lines.length));
                int first = ScriptConditions.of(source).countBeforeLine(before + 1);
                outcomes.or(seen.outcomes.get(2 * first, 2 * (first + conditions.count())));
            }
        });
        List<Integer> missed = new ArrayList<>();
        int count = 0;
        for (int i = 1; i <= lines.length; i++) {
            // Where a function ends there is an instruction that nothing reaches behind a return.
            boolean counts = code.isEmpty() ? (!lines[i - 1].isBlank() && !lines[i - 1].startsWith("--")) : code.get(i);
            if (counts && !lines[i - 1].strip().matches("end[),]*")) {
                count++;
                if (!run.get(i)) {
                    missed.add(i);
                }
            }
        }
        List<String> unmet = new ArrayList<>();
        for (int i = 0; i < conditions.count(); i++) {
            for (int outcome = 0; outcome < 2; outcome++) {
                if (!outcomes.get(2 * i + outcome)) {
                    unmet.add(conditions.line(i) + ": " + conditions.text(i) + (outcome == 0 ? ", true" : ", false"));
                }
            }
        }
        return new Report(count, missed, 2 * conditions.count(), unmet);
    }
}
