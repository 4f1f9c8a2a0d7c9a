// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers of one measurement. Clients reach them over the network; this program reads their figures without a
 * proxy.
 */
public final class MeasuredServers implements AutoCloseable {
    private static final int REPLICAS = 1;

    private final Fronts fronts;
    private final List<AutoCloseable> parts = new ArrayList<>();
    private List<URI> endpoints = List.of();
    private List<RedisServer> all = List.of();
    private List<RedisServer> primaries = List.of();

    private MeasuredServers(Fronts fronts) {
        this.fronts = fronts;
        parts.add(fronts);
    }

    /**
     * Starts servers.
     *
     * @param topology how they belong together
     * @param count how many, where they do not know each other
     * @param fronts where clients find them, which is closed with the servers
     */
    static MeasuredServers start(Topology topology, int count, Fronts fronts) {
        MeasuredServers servers = new MeasuredServers(fronts);
        try {
            switch (topology) {
                case SINGLE_SERVERS -> servers.startSingle(count);
                case SENTINELS -> servers.startSentinels();
                case CLUSTER -> servers.startCluster(ClusterServers.start());
            }
            return servers;
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    /**
     * Starts a cluster that clients reach without a proxy.
     *
     * @param primaries how many primaries
     * @param replicasEach how many replicas each of them has
     * @return the servers, which the caller must close
     */
    public static MeasuredServers cluster(int primaries, int replicasEach) {
        MeasuredServers servers = new MeasuredServers(new Fronts(null));
        try {
            servers.startCluster(ClusterServers.start(primaries, replicasEach));
            return servers;
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    private void startSingle(int count) {
        EmbeddedBackend backend = EmbeddedBackend.start(count);
        parts.add(backend);
        all = backend.servers();
        primaries = all;
        endpoints = endpoints("redis://", all, "");
    }

    private void startSentinels() {
        SentinelServers group = SentinelServers.start(REPLICAS);
        parts.add(group);
        all = group.servers();
        primaries = List.of(group.primary());
        if (fronts.areProxies()) {
            group.watchThrough(fronts.of(primaries.get(0)));
        }
        group.fallSilent();
        endpoints = endpoints("redis-sentinel://", group.sentinels(), "/0#" + group.masterName());
    }

    private void startCluster(ClusterServers cluster) {
        parts.add(cluster);
        all = cluster.nodes();
        primaries = cluster.primaries();
        if (fronts.areProxies()) {
            cluster.announce(fronts::of);
        }
        endpoints = endpoints("redis-cluster://", all, "");
    }

    private List<URI> endpoints(String scheme, List<RedisServer> servers, String end) {
        return servers.stream()
                .map(server -> URI.create(scheme + "127.0.0.1:" + fronts.of(server) + end))
                .toList();
    }

    /**
     * Returns where clients find the servers.
     *
     * @return URIs with one host and port each, all with the scheme {@code redis}, {@code redis-cluster}, or
     *     {@code redis-sentinel}; those of sentinels have the name of the primary as their fragment
     */
    public List<URI> endpoints() {
        return endpoints;
    }

    /** The servers that have data, replicas too. */
    public List<RedisServer> all() {
        return all;
    }

    /** The servers to which clients send commands about locks. */
    public List<RedisServer> primaries() {
        return primaries;
    }

    @Override
    public void close() {
        Closing.all(parts);
    }
}
