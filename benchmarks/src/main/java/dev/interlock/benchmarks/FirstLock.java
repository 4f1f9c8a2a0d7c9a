// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A JVM is started with nothing but what a candidate needs, and takes a lock. */
final class FirstLock implements Scenario {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Artifacts artifacts;

    FirstLock(Artifacts artifacts) {
        this.artifacts = artifacts;
    }

    @Override
    public String name() {
        return "first-lock";
    }

    @Override
    public String title() {
        return "The first lock in a fresh JVM";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.FIRST_LOCK_MILLIS, Metric.JARS);
    }

    @Override
    public boolean suits(Candidate candidate) {
        return !candidate.options().containsKey(InterlockOpener.LOCAL_HANDOFFS);
    }

    @Override
    public Figures measure(Candidate candidate) {
        List<String> jars = artifacts.neededBy(candidate.artifacts());
        try (Stage stage = Stage.open(candidate)) {
            List<String> arguments = FirstLockMain.arguments(
                    candidate.opener(),
                    stage.endpoints().stream().map(URI::toString).toList(),
                    candidate.options());
            double millis =
                    FreshJvm.millisUntilDone(artifacts.classPath(jars), FirstLockMain.class, arguments, PATIENCE);
            return new Figures(Map.of(Metric.FIRST_LOCK_MILLIS, millis, Metric.JARS, (double) jars.size()), 0);
        }
    }
}
