// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.harness.Fault;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The processes of a topology on this machine, which one endpoint names. Clients reach each primary through a proxy,
 * whose address the servers themselves announce. A fault hits all primaries at once, and no replica is promoted
 * meanwhile, so that the backend fails like a single server. The next test uses the servers again, also after a
 * restart, since they take seconds to start.
 */
final class OwnTopology implements Node, ServerPool.Server {
    private static final ServerPool<OwnTopology> BEHIND_SENTINELS = new ServerPool<>(OwnTopology::sentinels);
    private static final ServerPool<OwnTopology> CLUSTERS = new ServerPool<>(() -> cluster(Kind.CLUSTER, 0));
    private static final ServerPool<OwnTopology> REPLICATED_CLUSTERS =
            new ServerPool<>(() -> cluster(Kind.REPLICATED_CLUSTER, 1));

    private final Kind kind;
    private final String uri;
    private final AutoCloseable servers;
    private final Runnable awaitSettled;
    private final List<EmbeddedServer> primaries;
    private final List<FaultProxy> proxies;
    private final List<OwnNode> nodes;

    /**
     * Whether a fault was caused since the servers last agreed. Checking that they agree takes long, and is done only
     * after a fault.
     */
    private volatile boolean disturbed;

    /** The kinds of topologies. */
    enum Kind {
        /** A primary with a replica, watched by three sentinels. */
        SENTINELS,
        /** A cluster of three primaries. */
        CLUSTER,
        /** A cluster of three primaries with a replica each. */
        REPLICATED_CLUSTER;

        /** Hands out servers that were given back, or starts some. */
        OwnTopology take() {
            return pool().take();
        }

        private ServerPool<OwnTopology> pool() {
            return switch (this) {
                case SENTINELS -> BEHIND_SENTINELS;
                case CLUSTER -> CLUSTERS;
                case REPLICATED_CLUSTER -> REPLICATED_CLUSTERS;
            };
        }
    }

    private OwnTopology(
            Kind kind,
            String uri,
            AutoCloseable servers,
            Runnable awaitSettled,
            Map<RedisServer, FaultProxy> primaries) {
        this.kind = kind;
        this.uri = OwnNode.withPassword(uri);
        this.servers = servers;
        this.awaitSettled = awaitSettled;
        this.primaries = primaries.keySet().stream().map(EmbeddedServer::new).toList();
        this.proxies = List.copyOf(primaries.values());
        this.nodes = IntStream.range(0, proxies.size())
                .mapToObj(i -> new OwnNode(this.primaries.get(i), proxies.get(i)))
                .toList();
    }

    private static OwnTopology sentinels() {
        SentinelServers group = SentinelServers.start(1);
        RedisServer primary = group.primary();
        FaultProxy proxy = FaultProxy.to(primary);
        group.watchThrough(proxy);
        return new OwnTopology(Kind.SENTINELS, group.uri(), group, group::awaitSettled, Map.of(primary, proxy));
    }

    private static OwnTopology cluster(Kind kind, int replicasEach) {
        ClusterServers cluster = ClusterServers.start(3, replicasEach);
        Map<RedisServer, FaultProxy> proxies = new LinkedHashMap<>();
        cluster.primaries().forEach(primary -> proxies.put(primary, FaultProxy.to(primary)));
        // No replica is promoted when a rule stops a primary.
        cluster.nodes().stream()
                .filter(node -> !proxies.containsKey(node))
                .forEach(replica -> replica.command("CONFIG", "SET", "cluster-replica-no-failover", "yes"));
        cluster.announce(node -> {
            FaultProxy proxy = proxies.get(node);
            return proxy == null ? node.port() : proxy.port();
        });
        StringBuilder uri = new StringBuilder();
        proxies.values()
                .forEach(proxy -> uri.append(uri.isEmpty() ? "redis-cluster://" : ",")
                        .append("127.0.0.1:")
                        .append(proxy.port()));
        return new OwnTopology(kind, uri.toString(), cluster, cluster::awaitSettled, proxies);
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public void inject(Fault fault) {
        disturbed = true;
        nodes.forEach(node -> node.inject(fault));
        if (fault == Fault.RESTART_WITH_DATA || fault == Fault.RESTART_WITHOUT_DATA) {
            awaitSettled.run();
        }
    }

    @Override
    public boolean hasLostReply() {
        return nodes.stream().anyMatch(OwnNode::hasLostReply);
    }

    @Override
    public void heal() {
        if (disturbed) {
            nodes.forEach(OwnNode::heal);
            awaitSettled.run();
            disturbed = false;
        }
    }

    @Override
    public void clean() {
        primaries.forEach(EmbeddedServer::clean);
        // Replicas that lost their primary in the last test may still be on their way back to it.
        awaitSettled.run();
    }

    @Override
    public boolean isAsGoodAsNew() {
        return primaries.stream().allMatch(EmbeddedServer::isAsGoodAsNew);
    }

    @Override
    public void discard() {
        proxies.forEach(FaultProxy::close);
        try {
            servers.close();
        } catch (Exception e) {
            throw new IllegalStateException("cannot end the servers", e);
        }
    }

    @Override
    public void close() {
        kind.pool().giveBack(this);
    }
}
