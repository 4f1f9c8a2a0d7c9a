// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisTopology;
import java.time.Duration;
import java.util.List;

/** Creates nodes that follow the primary, over any client library. */
public final class Topologies {
    private Topologies() {}

    /**
     * Creates the node of the primary that sentinels watch.
     *
     * @param servers makes the nodes of data servers; closed with the node
     * @param watchers makes the nodes of sentinels, which have logins of their own; closed with the node
     * @param timeout how long a search for the primary may take that no caller waits for
     */
    public static RedisNode sentinel(
            RedisTopology.Sentinel topology,
            ServerConnector servers,
            ServerConnector watchers,
            Duration timeout,
            Environment env) {
        List<RedisNode> sentinels =
                topology.sentinels().stream().<RedisNode>map(watchers::connect).toList();
        SentinelSource source = new SentinelSource(
                env,
                topology.masterName(),
                topology.sentinels().toString(),
                sentinels,
                (host, port) -> servers.connect(topology.login().at(host, port)));
        return new PrimaryFollower(env, nameOf(topology.masterName()), timeout, source, () -> {
            servers.close();
            watchers.close();
        });
    }

    /** Returns the name for messages of the primary that sentinels watch. */
    public static String nameOf(String masterName) {
        return "the primary \"" + masterName + "\"";
    }

    /**
     * Creates the node of the primary among servers that replicate it.
     *
     * @param connector makes the nodes of single servers; closed with the node
     * @param timeout how long a search for the primary may take that no caller waits for
     */
    public static RedisNode replicated(
            RedisTopology.Replicated topology, ServerConnector connector, Duration timeout, Environment env) {
        List<ReplicatedSource.Server> servers = topology.servers().stream()
                .map(server -> new ReplicatedSource.Server(
                        server.toString(), connector.connect(server), () -> connector.connect(server)))
                .toList();
        return new PrimaryFollower(
                env, "the primary of " + topology.servers(), timeout, new ReplicatedSource(env, servers), connector);
    }
}
