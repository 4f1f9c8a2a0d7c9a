// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.benchmarks.scale.clients.ClientReply;
import dev.interlock.benchmarks.scale.clients.ScaleClient;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measures a growing number of JVMs with one thread each that acquire and release as often as they can. */
final class ClientGrowth {
    private static final int DIGITS = 3;

    private ClientGrowth() {}

    static Map<GrowthMetric, Double> measure(
            ScaleBed bed, int count, boolean oneName, Duration lease, Duration time, int heap) {
        ServerReading unconnected = bed.read();
        List<ScaleClient> clients = bed.clients(count, lease, heap);
        double idle = bed.idleShare(time);
        askAll(clients, time.dividedBy(2), oneName, false);
        List<ClientReply> figuresBefore =
                clients.stream().map(client -> client.ask("figures")).toList();
        ServerReading before = bed.read();
        List<ClientReply> replies = askAll(clients, time, oneName, oneName);
        ServerReading after = bed.read();
        double clientSeconds = 0;
        double threads = 0;
        for (int i = 0; i < count; i++) {
            ClientReply figures = clients.get(i).ask("figures");
            clientSeconds += figures.number("cpu") - figuresBefore.get(i).number("cpu");
            threads += figures.number("threads");
        }
        Histogram acquire = new Histogram(DIGITS);
        replies.forEach(reply -> acquire.add(reply.histogram("latencies")));
        ServerReading window = after.since(before);
        double pairs =
                replies.stream().mapToDouble(reply -> reply.number("pairs")).sum();
        Map<GrowthMetric, Double> values = new EnumMap<>(GrowthMetric.class);
        Windows.put(values, window, idle);
        values.put(GrowthMetric.RATE, pairs / window.seconds());
        values.put(oneName ? GrowthMetric.HAND_OFF_MICROS : GrowthMetric.PAIR_MICROS, window.microsAbove(idle) / pairs);
        values.put(GrowthMetric.CONNECTIONS, after.since(unconnected).connections() / count / bed.primaries());
        values.put(GrowthMetric.CLIENT_CPU, clientSeconds / window.seconds() * 1e3);
        values.put(GrowthMetric.THREADS, threads / count);
        Windows.putAcquire(values, acquire);
        if (oneName) {
            Windows.putHandOff(values, handOffs(replies));
        }
        return values;
    }

    private static List<ClientReply> askAll(
            List<ScaleClient> clients, Duration time, boolean oneName, boolean history) {
        for (int i = 0; i < clients.size(); i++) {
            clients.get(i).order("pairs", "wanted-" + (oneName ? 0 : i), time.toNanos(), history);
        }
        return clients.stream().map(ScaleClient::reply).toList();
    }

    /** The times from the call of a release to the next acquisition, by the clock that all JVMs of a machine share. */
    private static long[] handOffs(List<ClientReply> replies) {
        List<long[]> holds = new ArrayList<>();
        for (int client = 0; client < replies.size(); client++) {
            long[] acquired = replies.get(client).times("acquired");
            long[] released = replies.get(client).times("released");
            for (int i = 0; i < acquired.length; i++) {
                holds.add(new long[] {acquired[i], released[i], client});
            }
        }
        return handOffsOf(holds);
    }

    /**
     * Returns the time of each hand-off from one client to another.
     *
     * @param holds for each hold, when a client acquired the lock, when it began to release it, and the number of the
     *     client
     * @throws ToolException if two held the lock at once
     */
    static long[] handOffsOf(List<long[]> holds) {
        long[][] sorted = holds.toArray(long[][]::new);
        Arrays.sort(sorted, (one, other) -> Long.compare(one[0], other[0]));
        long[] times = new long[sorted.length];
        int count = 0;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i][0] < sorted[i - 1][1]) {
                throw new ToolException("two clients held the lock at once");
            }
            if (sorted[i][2] != sorted[i - 1][2]) {
                times[count++] = sorted[i][0] - sorted[i - 1][1];
            }
        }
        return Arrays.copyOf(times, count);
    }
}
