// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Electorate;
import dev.interlock.redlock.line.NodeTimeouts;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of this strategy.
 *
 * @param library over which client library to connect
 * @param nodeTimeout how long to wait for one server, if that does not follow from the lease
 * @param nodeTimeouts how long to wait for single servers
 * @param drift by which part of a lease clocks may differ
 * @param minValidity how much of the lease must be left after an acquisition
 * @param maxLease the longest lease, and for how long a server that may have forgotten some does not vote; empty if
 *     servers are trusted
 * @param cluster the name of the cluster to which the servers belong
 * @param allowFailover whether servers that may fail over are accepted
 * @param fencing whether to draw fencing tokens
 * @param allowEven whether an even number of servers will do
 * @param longestGrant the longest lease of a lock that is granted to a waiter which may not be alive any more
 * @param wire in which format a lock stands in Redis
 */
record Settings(
        ClientLibrary library,
        Optional<Duration> nodeTimeout,
        NodeTimeouts nodeTimeouts,
        double drift,
        Duration minValidity,
        Optional<Duration> maxLease,
        String cluster,
        boolean allowFailover,
        boolean fencing,
        boolean allowEven,
        Duration longestGrant,
        LockWire wire) {
    private static final int MAX_NODES = 9;
    private static final int LEAST_FOR_A_FAILURE = 3;
    private static final int USUAL_NODES = 5;
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration ONE_MILLI = Duration.ofMillis(1);
    private static final Duration USUAL_NODE_TIMEOUT = Duration.ofMillis(50);
    private static final int LEASE_PER_NODE_TIMEOUT = 20;
    private static final Duration USUAL_GRANT = Duration.ofSeconds(2);
    private static final Duration LONGEST_LEAD_SILENCE = Duration.ofSeconds(2);
    private static final int NODE_TIMEOUTS_OF_LEAD = 10;
    private static final long USUAL_SHED_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long EXPIRY_PRECISION_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final BigDecimal MAX_DRIFT = new BigDecimal("0.5");

    static final StrategyOption CLIENT = new StrategyOption(
                    "client",
                    "interlock",
                    "interlock (needs Jedis; a thread that is alone writes and reads by itself) or lettuce")
            .mixedWith("lettuce");
    static final StrategyOption NODE_TIMEOUT = new StrategyOption(
                    "node-timeout",
                    "auto",
                    "how long to wait for one server when a majority has answered, such as 50ms; auto is 50ms, or a twentieth of"
                            + " the lease if that is less")
            .inTrials("2s")
            .mixedWith("500ms");
    static final StrategyOption DRIFT = new StrategyOption(
                    "drift",
                    "0.01",
                    "the part of a lease by which the clocks of client and servers may differ, from 0 to 0.5; two milliseconds come on top")
            .mixedWith("0.02");
    static final StrategyOption MIN_VALIDITY = new StrategyOption(
            "min-validity", "0ms", "how much of the lease must be left when an acquisition succeeds; more than that");
    static final StrategyOption MAX_LEASE = new StrategyOption(
            "max-lease",
            "60s",
            "the longest lease that any client uses: longer ones are refused, and a server that may have forgotten leases does not"
                    + " vote for so long; the largest of all clients counts");
    static final StrategyOption COLD_START = new StrategyOption(
                    "cold-start",
                    "wait",
                    "wait keeps a server out until clients have watched it for max-lease since it may have forgotten leases; trust lets"
                            + " it vote at once, for servers that lose nothing in a restart, and for tests")
            .inTrials("trust");
    static final StrategyOption CLUSTER = new StrategyOption(
            "cluster",
            "default",
            "a name for these servers together, the same for all clients; a server that clients with another name use too does"
                    + " not vote");
    static final StrategyOption FAILOVER = new StrategyOption(
            "failover",
            "refuse",
            "refuse rejects a server that Sentinel watches, and may replace by a replica that lacks locks; allow accepts it, and keeps"
                    + " the replica out for max-lease");
    static final StrategyOption FENCING =
            new StrategyOption("fencing", "true", "true draws fencing tokens; false keeps no counters in Redis");
    static final StrategyOption EVEN_NODES = new StrategyOption(
            "even-nodes",
            "refuse",
            "allow accepts an even number of servers, which survives no more failures than one server less");

    static final List<StrategyOption> OPTIONS = Stream.of(
                    List.of(
                            CLIENT,
                            NODE_TIMEOUT,
                            NodeTimeouts.OPTION,
                            DRIFT,
                            MIN_VALIDITY,
                            MAX_LEASE,
                            COLD_START,
                            CLUSTER,
                            FAILOVER,
                            FENCING,
                            EVEN_NODES,
                            FactoryCards.OPTION),
                    LockWire.OPTIONS,
                    ConnectionSettings.OPTIONS)
            .flatMap(List::stream)
            .toList();

    private static final StrategyProfile PROFILE = new StrategyProfile(
            "A majority of independent Redis servers, fenced; one that restarted stands aside until no lease can be left",
            "go on when a minority of the servers is lost, or has lost its data",
            ServerNeeds.independent(LEAST_FOR_A_FAILURE, USUAL_NODES),
            EnumSet.of(
                    Capability.REENTRANT,
                    Capability.AUTO_RENEWAL,
                    Capability.FENCING,
                    Capability.PUSH_WAKEUP,
                    Capability.FAIR,
                    Capability.QUORUM,
                    Capability.SAFE_RELEASE,
                    Capability.SEVERAL_NAMES),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.NO_EVICTION,
                    Assumption.NO_ROLLBACK,
                    Assumption.MAJORITY_UP,
                    Assumption.SAME_SERVERS));

    static Settings of(LockConfig config) {
        Duration maxLease = MAX_LEASE.duration(config, ONE_MILLI, LONGEST);
        boolean trust = COLD_START.oneOf(config, "wait", "trust").equals("trust");
        Settings settings = new Settings(
                ClientLibrary.valueOf(
                        CLIENT.oneOf(config, "interlock", "lettuce").toUpperCase(Locale.ROOT)),
                config.option(NODE_TIMEOUT.name())
                        .filter(value -> !value.strip().equalsIgnoreCase(NODE_TIMEOUT.defaultValue()))
                        .map(value -> NODE_TIMEOUT.duration(config, ONE_MILLI, LONGEST)),
                NodeTimeouts.read(config),
                readDrift(config),
                MIN_VALIDITY.duration(config, Duration.ZERO, LONGEST),
                trust ? Optional.empty() : Optional.of(maxLease),
                readCluster(config),
                FAILOVER.oneOf(config, "refuse", "allow").equals("allow"),
                FENCING.oneOf(config, "true", "false").equals("true"),
                EVEN_NODES.oneOf(config, "refuse", "allow").equals("allow"),
                USUAL_GRANT,
                LockWire.of(config));
        settings.whyNot(config.lockDefaults().lease()).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
        return settings;
    }

    private static String readCluster(LockConfig config) {
        String cluster =
                config.option(CLUSTER.name()).orElse(CLUSTER.defaultValue()).strip();
        if (!cluster.matches("[\\w.:-]{1,64}")) {
            throw new IllegalArgumentException("option cluster is \"" + cluster
                    + "\": it must be a name of up to 64 letters, digits, dots, colons, dashes and underscores");
        }
        return cluster;
    }

    private static double readDrift(LockConfig config) {
        String text = config.option(DRIFT.name()).orElse(DRIFT.defaultValue()).strip();
        try {
            BigDecimal drift = new BigDecimal(text);
            if (drift.signum() >= 0 && drift.compareTo(MAX_DRIFT) <= 0) {
                return drift.doubleValue();
            }
        } catch (NumberFormatException e) {
            // Reported below, as is a number outside of the bounds.
        }
        throw new IllegalArgumentException("option drift is \"" + text.toLowerCase(Locale.ROOT)
                + "\": it must be a number from 0 to 0.5, such as 0.01");
    }

    /** Settings for tests in which no grant may expire. */
    Settings withLongestGrant(Duration grant) {
        return new Settings(
                library,
                nodeTimeout,
                nodeTimeouts,
                drift,
                minValidity,
                maxLease,
                cluster,
                allowFailover,
                fencing,
                allowEven,
                grant,
                wire);
    }

    /** Fails unless the strategy works on that number of servers. */
    void requireCount(int nodes) {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException(
                    "strategy redlock uses 1 to " + MAX_NODES + " servers, and the configuration names " + nodes
                            + ": name 3 or 5 that are independent of each other");
        }
        if (nodes % 2 == 0 && !allowEven) {
            throw new IllegalArgumentException("strategy redlock was given " + nodes
                    + " servers, which survive no more failures than " + (nodes - 1)
                    + ": name one more or one less, or set the option even-nodes=allow");
        }
    }

    /** Returns why a lease is too long, or empty if it is not. */
    Optional<String> tooLong(Duration lease) {
        return maxLease.filter(longest -> lease.compareTo(longest) > 0)
                .map(
                        longest -> "a lease of " + lease + " is longer than the option max-lease, " + longest
                                + ", for which restarted servers stand aside: ask for a shorter one, or raise max-lease for all clients");
    }

    /** Returns why a lease cannot be granted, or empty if it can. */
    Optional<String> whyNot(Duration lease) {
        Optional<String> tooLong = tooLong(lease);
        if (tooLong.isPresent()) {
            return tooLong;
        }
        if (validityNanos(lease) <= minValidity.toNanos()) {
            return Optional.of(
                    "a lease of " + lease + " less the allowance for clock drift leaves no more than the option"
                            + " min-validity, " + minValidity + ": ask for a longer one");
        }
        return Optional.empty();
    }

    /** How long to wait for one server, given the lease and the time-out of the call. */
    Patience patience(Duration lease, Duration timeout) {
        long longest = timeout.toNanos();
        return new Patience(Math.min(answerNanos(lease), longest), longest);
    }

    private long answerNanos(Duration lease) {
        return nodeTimeout
                .orElseGet(() -> {
                    Duration part = lease.dividedBy(LEASE_PER_NODE_TIMEOUT);
                    return part.compareTo(USUAL_NODE_TIMEOUT) > 0 ? USUAL_NODE_TIMEOUT : part;
                })
                .toNanos();
    }

    /** How long to wait for one server that has a time-out of its own. */
    Patience patience(String address, Patience others) {
        return nodeTimeouts
                .of(address)
                .map(own -> new Patience(Math.min(own.toNanos(), others.connectionNanos()), others.connectionNanos()))
                .orElse(others);
    }

    /** How long the lead of a lock may owe an answer before its waiters go elsewhere. */
    long leadSilenceNanos(String address) {
        long answerNanos = nodeTimeouts.of(address).map(Duration::toNanos).orElseGet(() -> answerNanos(LONGEST));
        return Math.min(LONGEST_LEAD_SILENCE.toNanos(), NODE_TIMEOUTS_OF_LEAD * answerNanos);
    }

    /** How long a server may owe an answer before it is shed: not asked for votes until it has caught up. */
    long shedNanos(String address) {
        return nodeTimeouts
                .of(address)
                .map(own -> Math.max(USUAL_SHED_NANOS, 2 * own.toNanos()))
                .orElse(USUAL_SHED_NANOS);
    }

    /** How long a lease is valid by any clock, counted from its request. */
    long validityNanos(Duration lease) {
        return lease.toNanos() - driftNanos(lease);
    }

    /** The largest difference between clocks after a given time. */
    long driftNanos(Duration time) {
        return (long) Math.ceil(time.toNanos() * drift) + EXPIRY_PRECISION_NANOS;
    }

    /** The birth records of a cluster, or {@code null} where servers are trusted. */
    @Nullable
    Births births(Environment env, String key, List<String> addresses) {
        return maxLease.map(
                        longest -> new Births(env, key, cluster, new Electorate(addresses), longest, this::driftNanos))
                .orElse(null);
    }

    /** The profile with all options at their defaults. */
    static StrategyProfile usualProfile() {
        return PROFILE;
    }

    StrategyProfile profile(int nodes) {
        EnumSet<Capability> capabilities = EnumSet.copyOf(PROFILE.capabilities());
        EnumSet<Assumption> assumptions = EnumSet.copyOf(PROFILE.assumptions());
        if (!fencing) {
            capabilities.remove(Capability.FENCING);
        }
        if (nodes < LEAST_FOR_A_FAILURE) {
            capabilities.remove(Capability.QUORUM);
        }
        // Clients of other makes let a node vote that has lost its data.
        if (maxLease.isEmpty() || wire.isPlain()) {
            assumptions.add(Assumption.RESTART_KEEPS_DATA);
        }
        return wire.profile(new StrategyProfile(
                PROFILE.summary(), PROFILE.purpose(), PROFILE.servers(), capabilities, assumptions));
    }

    /**
     * How long to wait for one server.
     *
     * @param answerNanos for the answer to what was sent
     * @param connectionNanos for the first connection, over which to send it
     */
    record Patience(long answerNanos, long connectionNanos) {}
}
