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
import java.util.Optional;
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
 * @param tokenLife for how long the last token is kept after an acquisition, or empty if it is kept for ever
 */
record Settings(
        String topology, String masterName, boolean holdsInRedis, boolean fencing, Optional<Duration> tokenLife) {
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
    private static final String FOR_EVER = "forever";

    /** Longer than clocks are set back, since tokens are drawn from the time. */
    private static final Duration SHORTEST_LIFE = Duration.ofHours(1);

    private static final Duration LONGEST_LIFE = Duration.ofDays(10_000);
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
            "fencing", "true", "true draws fencing tokens from the counter of RFencedLock; false draws none");
    static final StrategyOption TOKEN_LIFE = new StrategyOption(
            "token-life",
            FOR_EVER,
            "for how long a counter of fencing tokens is kept after an acquisition, unless an RFencedLock made it, or forever: a"
                    + " plain RFencedLock that finds none begins at 1");

    static final List<StrategyOption> OPTIONS = List.of(TOPOLOGY, MASTER_NAME, HOLDS, FENCING, TOKEN_LIFE);

    private static final Duration FIRST_RECONNECTION = Duration.ofMillis(50);
    private static final Duration LONGEST_RECONNECTION = Duration.ofMillis(500);

    /** Threads share connections where there are fewer than ten. */
    private static final int CONNECTIONS = 4;

    private static final int SUBSCRIPTIONS = 10_000;
    private static final int NETTY_THREADS = 2;

    static Settings of(LockConfig config) {
        return new Settings(
                TOPOLOGY.oneOf(config, SINGLE, SENTINEL, CLUSTER, MASTER_REPLICA),
                config.option(MASTER_NAME.name()).orElse(MASTER_NAME.defaultValue()),
                HOLDS.oneOf(config, "local", "redis").equals("redis"),
                FENCING.oneOf(config, "true", "false").equals("true"),
                tokenLife(config));
    }

    private static Optional<Duration> tokenLife(LockConfig config) {
        String life = config.option(TOKEN_LIFE.name()).orElse(FOR_EVER);
        return life.strip().equalsIgnoreCase(FOR_EVER)
                ? Optional.empty()
                : Optional.of(TOKEN_LIFE.duration(config, SHORTEST_LIFE, LONGEST_LIFE));
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
