// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.EqualJitterDelay;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

/**
 * The options of this strategy.
 *
 * @param topology how the servers that the endpoints name belong together
 * @param masterName what sentinels call the master
 * @param holdsInRedis whether a plain lock can see how often the current thread holds the lock
 * @param fencing whether to draw fencing tokens
 * @param tokenForEver whether the last token is kept though nobody has drawn one for long
 */
record Settings(String topology, String masterName, boolean holdsInRedis, boolean fencing, boolean tokenForEver) {
    static final StrategyProfile PROFILE = new StrategyProfile(
            "Redisson's lock, which excludes and wakes plain RLocks: a hash of owner and holds, and a message at each release",
            "share locks with programs that use Redisson's RLock",
            ServerNeeds.ONE,
            EnumSet.of(
                    Capability.REENTRANT,
                    Capability.AUTO_RENEWAL,
                    Capability.FENCING,
                    Capability.PUSH_WAKEUP,
                    Capability.SAFE_RELEASE),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.NO_EVICTION,
                    Assumption.RESTART_KEEPS_DATA));

    private static final int SHORTEST_PING = 1_000;
    private static final int LONGEST_PING = 30_000;
    private static final String SINGLE = "single";
    private static final String SENTINEL = "sentinel";
    private static final String CLUSTER = "cluster";
    private static final String MASTER_REPLICA = "master-replica";

    static final StrategyOption TOPOLOGY = new StrategyOption(
            "topology",
            SINGLE,
            "single (one server), sentinel (the endpoints are sentinels), cluster (some of its nodes), or master-replica (all"
                    + " servers, in any order; the master is asked for)");
    static final StrategyOption MASTER_NAME =
            new StrategyOption("master-name", "mymaster", "what the sentinels call the master; for topology=sentinel");
    static final StrategyOption HOLDS = new StrategyOption(
                    "holds",
                    "local",
                    "local counts re-entries in this JVM; redis writes each count into the lock, where getHoldCount() of a plain RLock of"
                            + " the same client and thread sees it, for a round trip each")
            .mixedWith("redis");
    static final StrategyOption FENCING = new StrategyOption(
            "fencing",
            "true",
            "true draws fencing tokens from the counter of RFencedLock, which is forgotten after a day without an acquisition"
                    + " unless an RFencedLock made it; permanent never forgets it; false draws none");

    static final List<StrategyOption> OPTIONS = List.of(TOPOLOGY, MASTER_NAME, HOLDS, FENCING);

    private static final Duration FIRST_RECONNECTION = Duration.ofMillis(50);
    private static final Duration LONGEST_RECONNECTION = Duration.ofMillis(500);

    /** Threads share connections where there are fewer than ten. */
    private static final int CONNECTIONS = 4;

    private static final int SUBSCRIPTIONS = 10_000;
    private static final int NETTY_THREADS = 2;

    static Settings of(LockConfig config) {
        String fencing = FENCING.oneOf(config, "true", "permanent", "false");
        return new Settings(
                TOPOLOGY.oneOf(config, SINGLE, SENTINEL, CLUSTER, MASTER_REPLICA),
                config.option(MASTER_NAME.name()).orElse(MASTER_NAME.defaultValue()),
                HOLDS.oneOf(config, "local", "redis").equals("redis"),
                !fencing.equals("false"),
                fencing.equals("permanent"));
    }

    /** The configuration of a client of our own, which sends each request once. */
    Config clientConfig(LockConfig config) {
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
        if (endpoints.isEmpty() || (topology.equals(SINGLE) && endpoints.size() != 1)) {
            throw new IllegalArgumentException("strategy redisson with topology=" + topology + " cannot use "
                    + endpoints.size() + " endpoints: give "
                    + (topology.equals(SINGLE) ? "one, or set topology to what they are" : "at least one"));
        }
        RedisEndpoint first = endpoints.get(0);
        if (!endpoints.stream().allMatch(endpoint -> isAlike(endpoint, first))) {
            throw new IllegalArgumentException(
                    "the endpoints of strategy redisson differ in user, password, database or TLS,"
                            + " which one client cannot: make them the same");
        }
        String[] addresses = endpoints.stream().map(Settings::address).toArray(String[]::new);
        Config client = new Config().setNettyThreads(NETTY_THREADS);
        first.username().ifPresent(client::setUsername);
        first.password().ifPresent(client::setPassword);
        switch (topology) {
            case SENTINEL ->
                common(masterOnly(client.useSentinelServers()), config)
                        .setMasterName(masterName)
                        .setDatabase(first.database())
                        .setCheckSentinelsList(false)
                        .addSentinelAddress(addresses);
            case CLUSTER ->
                common(masterOnly(client.useClusterServers()), config)
                        .setDatabase(first.database())
                        .addNodeAddress(addresses);
            case MASTER_REPLICA ->
                common(masterOnly(client.useReplicatedServers()), config)
                        .setDatabase(first.database())
                        .addNodeAddress(addresses);
            default ->
                common(client.useSingleServer(), config)
                        .setDatabase(first.database())
                        .setConnectionMinimumIdleSize(1)
                        .setConnectionPoolSize(CONNECTIONS)
                        .setSubscriptionConnectionMinimumIdleSize(0)
                        .setSubscriptionConnectionPoolSize(CONNECTIONS)
                        .setAddress(addresses[0]);
        }
        return client;
    }

    private static boolean isAlike(RedisEndpoint one, RedisEndpoint other) {
        return one.tls() == other.tls()
                && one.database() == other.database()
                && one.username().equals(other.username())
                && one.password().equals(other.password());
    }

    private static String address(RedisEndpoint endpoint) {
        String host = endpoint.host().contains(":") ? "[" + endpoint.host() + "]" : endpoint.host();
        return (endpoint.tls() ? "rediss://" : "redis://") + host + ":" + endpoint.port();
    }

    private static <T extends BaseConfig<T>> T common(T servers, LockConfig config) {
        int timeout = Math.toIntExact(config.commandTimeout().toMillis());
        return servers.setTimeout(timeout)
                .setConnectTimeout(timeout)
                .setSubscriptionTimeout(timeout)
                .setRetryAttempts(0)
                // So soon is a silent connection noticed; Redisson by itself takes half a minute and more.
                .setPingConnectionInterval(Math.max(SHORTEST_PING, Math.min(LONGEST_PING, timeout)))
                .setReconnectionDelay(new EqualJitterDelay(FIRST_RECONNECTION, LONGEST_RECONNECTION))
                .setSubscriptionsPerConnection(SUBSCRIPTIONS);
    }

    private static <T extends BaseMasterSlaveServersConfig<T>> T masterOnly(T servers) {
        return servers.setReadMode(ReadMode.MASTER)
                .setSubscriptionMode(SubscriptionMode.MASTER)
                .setMasterConnectionMinimumIdleSize(1)
                .setMasterConnectionPoolSize(CONNECTIONS)
                .setSubscriptionConnectionMinimumIdleSize(0)
                .setSubscriptionConnectionPoolSize(CONNECTIONS);
    }

    /** What the locks promise over a client that can listen, or cannot. */
    StrategyProfile profile(boolean listening) {
        StrategyProfile profile = fencing ? PROFILE : PROFILE.without(Capability.FENCING);
        return listening ? profile : profile.without(Capability.PUSH_WAKEUP);
    }
}
