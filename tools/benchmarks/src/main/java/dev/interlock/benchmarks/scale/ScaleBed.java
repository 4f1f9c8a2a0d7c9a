// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.benchmarks.network.MeasuredServers;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.benchmarks.scale.clients.ScaleClient;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fresh servers for one row, and its clients, each in a JVM of its own. */
final class ScaleBed implements AutoCloseable {
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(3);
    private static final int CLUSTER_PRIMARIES = 3;
    private static final int CLUSTER_REPLICAS = 1;

    private final Candidate candidate;
    private final MeasuredServers servers;
    private final List<AutoCloseable> parts = new ArrayList<>();

    ScaleBed(Candidate candidate, Topology topology) {
        this.candidate = candidate;
        if (topology == Topology.CLUSTER) {
            servers = MeasuredServers.cluster(CLUSTER_PRIMARIES, CLUSTER_REPLICAS);
            parts.add(servers);
        } else {
            Setting setting = new Setting(topology, null);
            Network network = Network.of(List.of(setting));
            parts.add(network);
            servers = network.start(setting, candidate.servers());
            parts.add(0, servers);
        }
    }

    /** Starts clients at the same time, and waits until all are connected. */
    List<ScaleClient> clients(int count, Duration lease, int heapMegabytes) {
        List<ScaleClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ScaleClient client = new ScaleClient(candidate, servers.endpoints(), lease, heapMegabytes);
            parts.add(0, client);
            clients.add(client);
        }
        clients.forEach(ScaleClient::reply);
        return clients;
    }

    /** How many servers carry out commands about locks. */
    int primaries() {
        return servers.primaries().size();
    }

    /**
     * Fails unless all primaries still are primaries.
     *
     * @throws ToolException if a replica was promoted meanwhile, which figures of the servers would not show
     */
    void requireSamePrimaries() {
        for (RedisServer server : servers.primaries()) {
            if (!String.valueOf(server.command("INFO", "replication")).contains("role:master")) {
                throw new ToolException("a replica took over from " + server + " while the row was measured");
            }
        }
    }

    ServerReading read() {
        return ServerReading.of(servers.primaries());
    }

    /** Returns the change of the servers' counters during some time. */
    ServerReading during(Duration time) {
        ServerReading before = read();
        Pause.of(time);
        return read().since(before);
    }

    /** Returns the share of a core that all servers together take while the clients do nothing. */
    double idleShare(Duration time) {
        ServerReading idle = during(time.compareTo(LONGEST_IDLE) < 0 ? time : LONGEST_IDLE);
        return idle.cpuSeconds() / idle.seconds();
    }

    @Override
    public void close() {
        Closing.all(parts);
    }
}
