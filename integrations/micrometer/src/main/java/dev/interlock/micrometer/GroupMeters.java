// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LockListener.Acquired;
import dev.interlock.LossCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The meters of one group of locks in one registry. All are registered at once, so that a counter is seen at zero
 * before it is seen at one: otherwise its first increase would be invisible.
 */
final class GroupMeters {
    private final List<Meter> all = new ArrayList<>();
    private final MeterRegistry registry;
    private final Tags tags;

    private final Counter requests;
    private final Counter attempts;
    private final Timer waitForServer;
    private final Timer waitForThread;
    private final Timer holdToRelease;
    private final Timer holdToLoss;
    private final Map<LossCause, Counter> losses = new EnumMap<>(LossCause.class);
    private final Timer renewals;
    private final Counter failedRenewals;
    private final Timer outages;

    GroupMeters(MeterRegistry registry, Tags tags, GroupState state) {
        this.registry = registry;
        this.tags = tags;
        requests =
                counter("interlock.lock.requests", "Requests for a lock that the thread does not hold", Tags.empty());
        attempts = counter("interlock.lock.attempts", "Requests to the backend by acquisitions", Tags.empty());
        String wait = "Time from the request for a lock to its acquisition";
        waitForServer = timer("interlock.lock.wait", wait, Tags.of("local", "false"));
        waitForThread = timer("interlock.lock.wait", wait, Tags.of("local", "true"));
        String hold = "Time from the acquisition of a lock to its release or loss";
        holdToRelease = timer("interlock.lock.hold", hold, Tags.of("outcome", "released"));
        holdToLoss = timer("interlock.lock.hold", hold, Tags.of("outcome", "lost"));
        for (LossCause cause : LossCause.values()) {
            losses.put(
                    cause,
                    counter(
                            "interlock.lock.losses",
                            "Locks lost before they were released",
                            Tags.of("cause", cause.name().toLowerCase(Locale.ROOT))));
        }
        renewals = timer("interlock.lease.renewals", "Time that the renewal of a lease took", Tags.empty());
        failedRenewals = counter(
                "interlock.lease.renewal.failures",
                "Renewals of a lease that failed and are tried again",
                Tags.empty());
        outages = timer(
                "interlock.backend.outages", "Time for which the backend did not answer those who wait", Tags.empty());
        gauge("interlock.lock.held", "Locks that are held now", state.held);
        gauge("interlock.lock.waiting", "Threads that wait for a lock now", state.waiting);
        gauge("interlock.backend.outages.active", "Locks whose waiters the backend does not answer now", state.outages);
    }

    private Counter counter(String name, String description, Tags more) {
        return keep(Counter.builder(name)
                .description(description)
                .tags(tags)
                .tags(more)
                .register(registry));
    }

    private Timer timer(String name, String description, Tags more) {
        return keep(Timer.builder(name)
                .description(description)
                .tags(tags)
                .tags(more)
                .register(registry));
    }

    private void gauge(String name, String description, LockCounts counts) {
        keep(Gauge.builder(name, counts, LockCounts::total)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    private <M extends Meter> M keep(M meter) {
        all.add(meter);
        return meter;
    }

    void requested() {
        requests.increment();
    }

    void acquired(Acquired event) {
        (event.local() ? waitForThread : waitForServer).record(event.waited());
        attempts.increment(event.attempts());
    }

    void released(Duration held) {
        holdToRelease.record(held);
    }

    void lost(LossCause cause, Duration held) {
        holdToLoss.record(held);
        Counter counter = losses.get(cause);
        if (counter != null) {
            counter.increment();
        }
    }

    void renewed(Duration took) {
        renewals.record(took);
    }

    void renewalFailed() {
        failedRenewals.increment();
    }

    void outageEnded(Duration lasted) {
        outages.record(lasted);
    }

    void remove() {
        all.forEach(registry::remove);
    }
}
