// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.benchmarks.scale.clients.ClientReply;
import dev.interlock.benchmarks.scale.clients.ScaleClient;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measures a growing number of names that one client holds: their acquisition, renewal, memory and release. */
final class HeldGrowth {
    /** How often a lock is renewed within its lease. */
    static final int PERIODS_PER_LEASE = 3;

    private HeldGrowth() {}

    static Map<GrowthMetric, Double> measure(ScaleBed bed, int names, Duration lease, Duration time, int heap) {
        ServerReading unconnected = bed.read();
        ScaleClient client = bed.clients(1, lease, heap).get(0);
        // The first lock makes the client open its connections and start its threads.
        client.ask("hold", "first-", 1);
        client.ask("release", 0);
        double idle = bed.idleShare(time);
        double heapBefore = client.ask("heap").number("heap");
        ServerReading before = bed.read();
        Histogram acquire = client.ask("hold", "held-", names).histogram("latencies");
        ServerReading held = bed.read();
        double clientCpu = client.ask("figures").number("cpu");
        ServerReading window = bed.during(time.compareTo(lease) < 0 ? lease : wholePeriods(lease, time));
        ClientReply clientHeld = client.ask("figures");
        double heapHeld = client.ask("heap").number("heap");
        ServerReading beforeRelease = bed.read();
        double lost = client.ask("release", 0).number("lost");
        ServerReading after = bed.read();
        // A batch at the edge of the window may be inside or outside of it, so the executed renewals are counted.
        double renewals = window.extensions() > 0
                ? window.extensions()
                : names * window.seconds() * PERIODS_PER_LEASE / (lease.toNanos() / 1e9);
        double pairMicros = held.since(before).microsAbove(idle)
                + after.since(beforeRelease).microsAbove(idle);
        Map<GrowthMetric, Double> values = new EnumMap<>(GrowthMetric.class);
        Windows.put(values, window, idle);
        values.put(GrowthMetric.RATE, names / held.since(before).seconds());
        values.put(GrowthMetric.RENEWAL_MICROS, window.microsAbove(idle) / renewals);
        values.put(GrowthMetric.PAIR_MICROS, pairMicros / names);
        values.put(GrowthMetric.SERVER_BYTES, beforeRelease.since(before).bytes() / names);
        values.put(GrowthMetric.SERVER_BYTES_LEFT, after.since(before).bytes() / names);
        values.put(GrowthMetric.CLIENT_BYTES, (heapHeld - heapBefore) / names);
        values.put(GrowthMetric.CLIENT_CPU, (clientHeld.number("cpu") - clientCpu) / window.seconds() * 1e3);
        values.put(GrowthMetric.THREADS, clientHeld.number("threads"));
        Windows.putAcquire(values, acquire);
        values.put(GrowthMetric.CONNECTIONS, beforeRelease.since(unconnected).connections() / bed.primaries());
        values.put(GrowthMetric.LOST, lost);
        return values;
    }

    /** The shortest time of whole renewal periods that is not shorter than the given one. */
    static Duration wholePeriods(Duration lease, Duration time) {
        long period = lease.toNanos() / PERIODS_PER_LEASE;
        return Duration.ofNanos((time.toNanos() + period - 1) / period * period);
    }
}
