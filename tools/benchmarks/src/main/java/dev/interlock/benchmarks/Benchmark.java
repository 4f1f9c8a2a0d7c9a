// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.scenarios.Scenario;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes candidates through scenarios, in rounds in which each has its turn, so that what changes on the machine meanwhile meets
 * them all.
 */
public final class Benchmark {
    private final List<Scenario> scenarios;
    private final List<Candidate> candidates;
    private final int rounds;

    public Benchmark(List<Scenario> scenarios, List<Candidate> candidates, int rounds) {
        this.scenarios = scenarios;
        this.candidates = candidates;
        this.rounds = rounds;
    }

    /** How many measurements there are. */
    int steps() {
        return rounds
                * (int) scenarios.stream()
                        .flatMap(scenario -> candidates.stream().filter(scenario::suits))
                        .count();
    }

    public List<Outcome> run(Progress progress) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            Outcome outcome = new Outcome(scenario);
            outcomes.add(outcome);
            for (int round = 0; round < rounds; round++) {
                for (Candidate candidate : candidates) {
                    if (scenario.suits(candidate)) {
                        measure(outcome, candidate, progress);
                    }
                }
            }
        }
        return outcomes;
    }

    private static void measure(Outcome outcome, Candidate candidate, Progress progress) {
        if (outcome.isOut(candidate)) {
            progress.skip(1);
            return;
        }
        progress.begin(outcome.scenario().name() + ": " + candidate.name());
        try {
            outcome.add(candidate, outcome.scenario().measure(candidate));
        } catch (RuntimeException | LinkageError e) {
            // One that fails must not hide what the others can do.
            outcome.exclude(candidate, "could not be measured: " + Messages.of(e));
        } finally {
            progress.end();
        }
    }
}
