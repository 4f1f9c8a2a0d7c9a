// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The network between clients and servers in one run: none, or one proxy that all measurements share, so that none of
 * them includes its start.
 *
 * <p>Not safe for use by several threads: one measurement at a time uses it.
 */
public final class Network implements AutoCloseable {
    private final @Nullable DelayProxyProcess proxy;

    private Network(@Nullable DelayProxyProcess proxy) {
        this.proxy = proxy;
    }

    /**
     * Starts the network that some settings need.
     *
     * @param settings the settings of all measurements
     * @return the network, which the caller must close
     */
    public static Network of(List<Setting> settings) {
        return new Network(
                settings.stream().anyMatch(setting -> setting.roundTrip() != null) ? new DelayProxyProcess() : null);
    }

    /**
     * Starts the servers of a measurement.
     *
     * @param setting how they belong together and how far away they are
     * @param count how many, where they do not know each other
     * @return the servers, which the caller must close before the next measurement
     */
    public MeasuredServers start(Setting setting, int count) {
        return MeasuredServers.start(setting.topology(), count, fronts(setting.roundTrip()));
    }

    private Fronts fronts(@Nullable Duration roundTrip) {
        if (roundTrip == null) {
            return new Fronts(null);
        }
        DelayProxyProcess opened = Objects.requireNonNull(proxy, "a network for this setting");
        opened.roundTrip(roundTrip);
        return new Fronts(opened);
    }

    /**
     * Measures the time of a {@code PING} with each of some round trips, and without them.
     *
     * @param roundTrips the round trips that are asked for
     * @return the times, in the same order
     */
    public List<PingTimes> measure(List<Duration> roundTrips) {
        if (roundTrips.isEmpty()) {
            return List.of();
        }
        try (RedisServer server = RedisServer.start();
                Fronts direct = fronts(null)) {
            double directMicros = PingTimes.micros(direct.of(server)).p50();
            double proxyMicros;
            try (Fronts fronts = fronts(Duration.ZERO)) {
                // The first time warms the proxy up.
                PingTimes.micros(fronts.of(server));
                proxyMicros = PingTimes.micros(fronts.of(server)).p50();
            }
            return roundTrips.stream()
                    .map(asked -> {
                        try (Fronts fronts = fronts(asked)) {
                            return new PingTimes(asked, directMicros, proxyMicros, PingTimes.micros(fronts.of(server)));
                        }
                    })
                    .toList();
        }
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
        }
    }
}
