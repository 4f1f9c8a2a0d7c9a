// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.LostLocks;
import dev.interlock.benchmarks.figures.Metric;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

/** Measures the cost of one held lock after many others were acquired and released, whose renewal must have ended. */
final class LastHeld extends Scenario {
    private final Sizes scale;

    LastHeld(Sizes scale) {
        super(
                "last-held",
                "1 lock held right after " + scale.pairs() + " pairs of lock and unlock on other names",
                Stream.concat(Rates.METRICS.stream(), Stream.of(Metric.LOCKS_LOST))
                        .toList(),
                Candidate::holds);
        this.scale = scale;
    }

    @Override
    Figures measure(Testbed stage) {
        LockClient client = stage.client(Terms.held(scale.lease()));
        for (int i = 0; i < scale.pairs(); i++) {
            Lock other = client.lock("other-" + i);
            other.lock();
            other.unlock();
        }
        Lock held = client.lock("held");
        held.lock();
        Duration lease = scale.lease();
        Map<Metric, Double> values =
                new EnumMap<>(Rates.during(stage, scale.time().compareTo(lease) < 0 ? lease : scale.time()));
        values.put(Metric.LOCKS_LOST, (double) LostLocks.unlock(List.of(held)));
        return new Figures(values, 0);
    }
}
