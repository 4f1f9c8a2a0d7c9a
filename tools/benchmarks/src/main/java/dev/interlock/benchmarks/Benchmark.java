// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.benchmarks.scenarios.Scenario;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures candidates in scenarios. In each round every candidate is measured in every setting, so that changes on the
 * machine affect all of them.
 */
public final class Benchmark {
    private final List<Scenario> scenarios;
    private final List<Candidate> candidates;
    private final List<Setting> settings;
    private final int rounds;

    public Benchmark(List<Scenario> scenarios, List<Candidate> candidates, List<Setting> settings, int rounds) {
        this.scenarios = scenarios;
        this.candidates = candidates;
        this.settings = settings;
        this.rounds = rounds;
    }

    /** Returns the number of measurements. */
    int steps() {
        return rounds
                * (int) scenarios.stream()
                        .flatMap(scenario -> settings.stream()
                                .flatMap(setting -> candidates.stream()
                                        .filter(candidate -> takesPart(candidate, scenario, setting))))
                        .count();
    }

    private static boolean takesPart(Candidate candidate, Scenario scenario, Setting setting) {
        return scenario.suits(candidate) && candidate.runsOn(setting.topology());
    }

    /** Measures, and returns the outcomes: scenario by scenario, one for each setting. */
    public List<Outcome> run(Network network, Progress progress) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<Outcome> ofScenario = settings.stream()
                    .map(setting -> new Outcome(scenario, setting))
                    .toList();
            outcomes.addAll(ofScenario);
            for (int round = 0; round < rounds; round++) {
                for (Candidate candidate : candidates) {
                    for (Outcome outcome : ofScenario) {
                        if (takesPart(candidate, scenario, outcome.setting())) {
                            measure(outcome, candidate, network, progress);
                        }
                    }
                }
            }
        }
        return outcomes;
    }

    private void measure(Outcome outcome, Candidate candidate, Network network, Progress progress) {
        if (outcome.isOut(candidate)) {
            progress.skip(1);
            return;
        }
        String where = settings.size() == 1 ? "" : ", " + outcome.setting().label();
        progress.begin(outcome.scenario().name() + ": " + candidate.name() + where);
        try {
            outcome.add(candidate, outcome.scenario().measure(candidate, outcome.setting(), network));
        } catch (RuntimeException | LinkageError e) {
            // A candidate that fails must not prevent the figures of the others.
            outcome.exclude(candidate, "could not be measured: " + Messages.of(e));
        } finally {
            progress.end();
        }
    }
}
