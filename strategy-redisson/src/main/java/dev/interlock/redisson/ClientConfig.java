// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.EqualJitterDelay;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

/** Configures a client of our own, which sends each request once, for the servers that endpoints name. */
final class ClientConfig {
    /**
     * The interval at which Redisson asks sentinels. Its default for clusters is five seconds, which is longer than a
     * short lease.
     */
    private static final int SCAN_MILLIS = 1_000;

    private static final int SHORTEST_PING = 1_000;
    private static final int LONGEST_PING = 30_000;
    private static final Duration FIRST_RECONNECTION = Duration.ofMillis(50);
    private static final Duration LONGEST_RECONNECTION = Duration.ofMillis(500);

    /** With fewer than ten connections, threads share them. */
    private static final int CONNECTIONS = 4;

    private static final int SUBSCRIPTIONS = 10_000;
    private static final int NETTY_THREADS = 2;

    private final RedisTopology topology;
    private final int timeout;

    /**
     * Reads the endpoints.
     *
     * @throws IllegalArgumentException if they do not belong together; the message says what to write instead
     */
    ClientConfig(LockConfig config) {
        topology = RedisTopology.of(config);
        timeout = Math.toIntExact(config.commandTimeout().toMillis());
    }

    /** Returns the name of the servers in messages. */
    String servers() {
        if (topology instanceof RedisTopology.Sentinel sentinel) {
            return "the primary \"" + sentinel.masterName() + "\" of the sentinels " + joined(sentinel.sentinels());
        }
        if (topology instanceof RedisTopology.Cluster cluster) {
            return "the cluster of " + joined(cluster.seeds());
        }
        return topology instanceof RedisTopology.Replicated replicated
                ? "the primary of " + joined(replicated.servers())
                : ((RedisTopology.Standalone) topology).server().toString();
    }

    private static String joined(List<RedisEndpoint> servers) {
        return servers.stream().map(RedisEndpoint::toString).collect(Collectors.joining(", "));
    }

    /**
     * Returns a new configuration.
     *
     * @throws IllegalArgumentException if Redisson has no client for these endpoints; the message says why
     */
    Config build() {
        Config client = new Config().setNettyThreads(NETTY_THREADS);
        if (topology instanceof RedisTopology.Sentinel sentinel) {
            configure(client, sentinel);
        } else if (topology instanceof RedisTopology.Cluster cluster) {
            logIn(client, cluster.seeds().get(0));
            primaryOnly(client.useClusterServers())
                    .setScanInterval(SCAN_MILLIS)
                    .addNodeAddress(addresses(cluster.seeds()));
        } else if (topology instanceof RedisTopology.Replicated replicated) {
            configure(client, replicated);
        } else {
            configure(client, ((RedisTopology.Standalone) topology).server());
        }
        return client;
    }

    private void configure(Config client, RedisEndpoint server) {
        logIn(client, server);
        common(client.useSingleServer())
                .setDatabase(server.database())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(CONNECTIONS)
                .setSubscriptionConnectionMinimumIdleSize(0)
                .setSubscriptionConnectionPoolSize(CONNECTIONS)
                .setAddress(address(server));
    }

    private void configure(Config client, RedisTopology.Replicated replicated) {
        RedisEndpoint first = replicated.servers().get(0);
        if (!replicated.servers().stream().allMatch(server -> server.equals(first.at(server.host(), server.port())))) {
            throw new IllegalArgumentException("the endpoints " + replicated.servers()
                    + " differ in user, password or TLS, which one Redisson client cannot: make them the same");
        }
        logIn(client, first);
        primaryOnly(client.useReplicatedServers())
                .setDatabase(first.database())
                .addNodeAddress(addresses(replicated.servers()));
    }

    private void configure(Config client, RedisTopology.Sentinel topology) {
        RedisEndpoint sentinel = topology.sentinels().get(0);
        if (sentinel.password().isPresent() && topology.login().password().isEmpty()) {
            throw new IllegalArgumentException(
                    "the endpoint has a password for the sentinels and none for the servers, with"
                            + " which Redisson would not log in to the sentinels: give the servers a password, or hand a client in");
        }
        logIn(client, topology.login());
        // One sentinel that answers is enough.
        primaryOnly(client.useSentinelServers())
                .setMasterName(topology.masterName())
                .setDatabase(topology.login().database())
                .setSentinelUsername(sentinel.username().orElse(null))
                .setSentinelPassword(sentinel.password().orElse(null))
                .setCheckSentinelsList(false)
                .addSentinelAddress(addresses(topology.sentinels()));
    }

    private static void logIn(Config client, RedisEndpoint server) {
        server.username().ifPresent(client::setUsername);
        server.password().ifPresent(client::setPassword);
    }

    private static String[] addresses(List<RedisEndpoint> servers) {
        return servers.stream().map(ClientConfig::address).toArray(String[]::new);
    }

    private static String address(RedisEndpoint endpoint) {
        String host = endpoint.host().contains(":") ? "[" + endpoint.host() + "]" : endpoint.host();
        return (endpoint.tls() ? "rediss://" : "redis://") + host + ":" + endpoint.port();
    }

    private <T extends BaseConfig<T>> T common(T servers) {
        return servers.setTimeout(timeout)
                .setConnectTimeout(timeout)
                .setSubscriptionTimeout(timeout)
                .setRetryAttempts(0)
                // The time until a silent connection is noticed; Redisson's default is half a minute and more.
                .setPingConnectionInterval(Math.max(SHORTEST_PING, Math.min(LONGEST_PING, timeout)))
                .setReconnectionDelay(new EqualJitterDelay(FIRST_RECONNECTION, LONGEST_RECONNECTION))
                .setSubscriptionsPerConnection(SUBSCRIPTIONS);
    }

    private <T extends BaseMasterSlaveServersConfig<T>> T primaryOnly(T servers) {
        return common(servers)
                .setReadMode(ReadMode.MASTER)
                .setSubscriptionMode(SubscriptionMode.MASTER)
                .setMasterConnectionMinimumIdleSize(1)
                .setMasterConnectionPoolSize(CONNECTIONS)
                .setSubscriptionConnectionMinimumIdleSize(0)
                .setSubscriptionConnectionPoolSize(CONNECTIONS);
    }
}
