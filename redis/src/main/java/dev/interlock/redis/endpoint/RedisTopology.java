// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import dev.interlock.LockConfig;
import java.net.URI;
import java.util.List;
import java.util.Objects;

/**
 * The topology that the endpoints of a configuration describe: one server, a primary with its replicas, a primary that
 * sentinels watch, or a cluster.
 *
 * <table>
 *   <caption>The forms of an endpoint; {@code rediss}, {@code rediss-sentinel} and {@code rediss-cluster} encrypt</caption>
 *   <tr><th>Topology<th>Endpoints
 *   <tr><td>{@link Standalone}<td>{@code redis://[[user]:password@]host[:6379][/database]}
 *   <tr><td>{@link Replicated}<td>several of these: a primary and its replicas, in any order
 *   <tr><td>{@link Sentinel}<td>{@code redis-sentinel://[[user]:password@]host[:26379],…[/database]#name-of-the-primary}, with
 *       {@code ?sentinelPassword=…} and {@code ?sentinelUsername=…} if the sentinels ask for a login too
 *   <tr><td>{@link Cluster}<td>{@code redis-cluster://[[user]:password@]host[:6379],…}
 * </table>
 *
 * <p>User and password in front of the hosts are those of the data servers. Hosts of a sentinel or cluster endpoint are
 * separated by commas; several endpoints that differ in nothing but the host mean the same, and are the way to write
 * IPv6 addresses.
 *
 * <p>Instances are immutable. Neither {@code toString} nor the message of an exception shows a password.
 */
public sealed interface RedisTopology {
    /**
     * One server.
     *
     * @param server the server
     */
    record Standalone(RedisEndpoint server) implements RedisTopology {
        /**
         * Creates the topology.
         *
         * @param server the server
         */
        public Standalone {
            Objects.requireNonNull(server, "server");
        }
    }

    /**
     * A primary with its replicas, whose roles an administrator or a managed service changes.
     *
     * @param servers the primary and its replicas in any order, at least two
     */
    record Replicated(List<RedisEndpoint> servers) implements RedisTopology {
        /**
         * Creates the topology.
         *
         * @param servers the primary and its replicas
         */
        public Replicated {
            servers = List.copyOf(servers);
        }
    }

    /**
     * A primary that sentinels watch.
     *
     * @param sentinels the sentinels, with the login that they ask for themselves; at least one
     * @param masterName the name under which the sentinels know the primary
     * @param login TLS, database, user and password of the data servers; its host is not one of them. The endpoint of a
     *     data server is {@code login().at(host, port)}
     */
    record Sentinel(List<RedisEndpoint> sentinels, String masterName, RedisEndpoint login) implements RedisTopology {
        /**
         * Creates the topology.
         *
         * @param sentinels the sentinels
         * @param masterName the name of the primary
         * @param login TLS, database, user and password of the data servers
         */
        public Sentinel {
            sentinels = List.copyOf(sentinels);
            Objects.requireNonNull(masterName, "masterName");
            Objects.requireNonNull(login, "login");
        }
    }

    /**
     * A Redis Cluster.
     *
     * @param seeds some of its nodes, at least one; all nodes ask for the same login and use TLS alike, so that the
     *     endpoint of any node is {@code seeds().get(0).at(host, port)}
     */
    record Cluster(List<RedisEndpoint> seeds) implements RedisTopology {
        /**
         * Creates the topology.
         *
         * @param seeds some of the nodes
         */
        public Cluster {
            seeds = List.copyOf(seeds);
        }
    }

    /**
     * Reads the endpoints of a configuration.
     *
     * @param config the configuration
     * @return what its endpoints name
     * @throws IllegalArgumentException if there is no endpoint, if one cannot be used, or if they do not belong
     *     together; the message says what to write instead
     */
    static RedisTopology of(LockConfig config) {
        return of(config.endpoints());
    }

    /**
     * Reads endpoints.
     *
     * @param endpoints the endpoints
     * @return what they name
     * @throws IllegalArgumentException if there is none, if one cannot be used, or if they do not belong together; the
     *     message says what to write instead
     */
    static RedisTopology of(List<URI> endpoints) {
        return TopologyParser.parse(endpoints);
    }
}
