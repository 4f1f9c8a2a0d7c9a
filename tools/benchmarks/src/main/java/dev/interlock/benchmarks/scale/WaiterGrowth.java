// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.benchmarks.scale.clients.ClientReply;
import dev.interlock.benchmarks.scale.clients.ScaleClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Measures a growing number of threads of one client that wait for locks of another client, and then the release. */
final class WaiterGrowth {
    private static final Duration GAP = Duration.ofMillis(1);

    private WaiterGrowth() {}

    static Map<GrowthMetric, Double> measure(
            ScaleBed bed, int waiters, boolean oneName, Duration lease, Duration time, int heap) {
        ScaleClient holder = bed.clients(1, lease, heap).get(0);
        holder.ask("hold", "wanted-", oneName ? 1 : waiters);
        ServerReading unconnected = bed.read();
        ScaleClient waiting = bed.clients(1, lease, heap).get(0);
        waiting.ask("hold", "first-", 1);
        waiting.ask("release", 0);
        // The holder's renewals go on meanwhile, and are subtracted from the cost of the waiters.
        ServerReading renewals = bed.during(HeldGrowth.wholePeriods(lease, time));
        double withoutWaiters = renewals.cpuSeconds() / renewals.seconds();
        double heapBefore = waiting.ask("heap").number("heap");
        ServerReading before = bed.read();
        waiting.ask("wait", "wanted-", waiters, oneName);
        // Waiters ask again after one, two, four and eight seconds, and then seldom.
        Pause.of(time.plus(time.dividedBy(2)));
        double clientCpu = waiting.ask("figures").number("cpu");
        ServerReading window = bed.during(HeldGrowth.wholePeriods(lease, time));
        ClientReply clientWaits = waiting.ask("figures");
        double heapWaits = waiting.ask("heap").number("heap");
        ServerReading beforeRelease = bed.read();
        waiting.order("acquired");
        long[] released = holder.ask("release", GAP.toNanos()).times("released");
        ClientReply reply = waiting.reply();
        long[] acquired = reply.times("acquired");
        ServerReading after = bed.read();
        Map<GrowthMetric, Double> values = new EnumMap<>(GrowthMetric.class);
        Windows.put(values, window, withoutWaiters);
        values.put(GrowthMetric.WAITING_MICROS, window.microsAbove(withoutWaiters) / window.seconds() * 60 / waiters);
        values.put(GrowthMetric.SERVER_BYTES, beforeRelease.since(before).bytes() / waiters);
        values.put(GrowthMetric.CLIENT_BYTES, (heapWaits - heapBefore) / waiters);
        values.put(GrowthMetric.CLIENT_CPU, (clientWaits.number("cpu") - clientCpu) / window.seconds() * 1e3);
        values.put(GrowthMetric.THREADS, clientWaits.number("threads"));
        values.put(GrowthMetric.HAND_OFF_MICROS, after.since(beforeRelease).microsAbove(withoutWaiters) / waiters);
        values.put(GrowthMetric.CONNECTIONS, beforeRelease.since(unconnected).connections() / bed.primaries());
        values.put(GrowthMetric.LOST, reply.number("lost"));
        Windows.putHandOff(values, handOffs(released, acquired));
        return values;
    }

    /** The time of each hand-off: from the release of its name, or from the acquisition before it on the same name. */
    static long[] handOffs(long[] released, long[] acquired) {
        long[] times = acquired.clone();
        if (released.length == acquired.length) {
            for (int i = 0; i < times.length; i++) {
                times[i] -= released[i];
            }
            return times;
        }
        Arrays.sort(times);
        for (int i = times.length - 1; i > 0; i--) {
            times[i] -= times[i - 1];
        }
        times[0] -= released[0];
        return times;
    }
}
