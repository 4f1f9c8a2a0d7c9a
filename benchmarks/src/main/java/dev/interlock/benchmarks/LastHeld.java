// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** One lock is held right after many others were taken and given up, whose renewal must have ended with them. */
final class LastHeld implements Scenario {
    private final Scale scale;

    LastHeld(Scale scale) {
        this.scale = scale;
    }

    @Override
    public String name() {
        return "last-held";
    }

    @Override
    public String title() {
        return "1 lock held right after " + scale.pairs() + " pairs of lock and unlock on other names";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.COMMANDS_PER_SECOND, Metric.CLIENT_MILLIS_PER_SECOND);
    }

    @Override
    public boolean suits(Candidate candidate) {
        return candidate.renews() && !candidate.options().containsKey(InterlockOpener.LOCAL_HANDOFFS);
    }

    @Override
    public Figures measure(Candidate candidate) {
        try (Stage stage = Stage.open(candidate)) {
            LockClient client = stage.client(new Terms(scale.lease(), true));
            for (int i = 0; i < scale.pairs(); i++) {
                Lock other = client.lock("other-" + i);
                other.lock();
                other.unlock();
            }
            Lock held = client.lock("held");
            held.lock();
            try {
                Rates rates = new Rates(stage);
                Duration lease = scale.lease();
                Pause.of(scale.time().compareTo(lease) < 0 ? lease : scale.time());
                return rates.figures();
            } finally {
                held.unlock();
            }
        }
    }
}
