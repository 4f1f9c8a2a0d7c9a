// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Artifacts;
import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.scenarios.fresh.FirstLockMain;
import dev.interlock.benchmarks.scenarios.fresh.FreshJvm;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Starts a JVM with nothing but the libraries of a candidate, and measures the time until it has acquired a lock. */
final class FirstLock extends Scenario {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Artifacts artifacts;

    FirstLock(Artifacts artifacts) {
        super(
                "first-lock",
                "The first lock in a fresh JVM",
                List.of(Metric.FIRST_LOCK_MILLIS, Metric.JARS),
                Candidate::locksWithDefaultHandoffs);
        this.artifacts = artifacts;
    }

    @Override
    Figures measure(Testbed stage) {
        List<String> jars = artifacts.neededBy(stage.candidate().artifacts());
        List<String> arguments = FirstLockMain.arguments(
                stage.candidate().opener(),
                stage.endpoints().stream().map(URI::toString).toList(),
                stage.candidate().options());
        double millis = FreshJvm.millisUntilDone(artifacts.classPath(jars), FirstLockMain.class, arguments, PATIENCE);
        return new Figures(Map.of(Metric.FIRST_LOCK_MILLIS, millis, Metric.JARS, (double) jars.size()), 0);
    }
}
