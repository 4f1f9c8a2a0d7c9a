// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.spi.LockStrategyProvider;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a strategy on real Redis servers, each behind a proxy. The system property {@value #PROPERTY} tells which:
 *
 * <table class="striped">
 * <caption>Backends</caption>
 * <thead><tr><th scope="col">Value</th><th scope="col">Servers</th><th scope="col">Faults</th></tr></thead>
 * <tbody>
 * <tr><th scope="row">{@code embedded}, or not set</th><td>processes on this machine; one that a test has left as it was is cleaned and
 *     used again by the tests of one JVM</td><td>all</td></tr>
 * <tr><th scope="row">{@code containers}</th><td>containers of the image that {@value #IMAGE_PROPERTY} names, by Testcontainers;
 *     they are used again by the tests of one JVM</td><td>all</td></tr>
 * <tr><th scope="row">{@value #SENTINELS}</th><td>a primary with a replica and three sentinels, processes on this machine, which are used
 *     again by the tests of one JVM</td><td>all, of the primary; no failover</td></tr>
 * <tr><th scope="row">{@value #CLUSTER}</th><td>a cluster of three primaries, processes on this machine, which are used again by the
 *     tests of one JVM</td><td>all, of all primaries at once</td></tr>
 * <tr><th scope="row">{@value #REPLICATED_CLUSTER}</th><td>the same with a replica of each primary</td><td>all, of all primaries at once; no
 *     failover</td></tr>
 * <tr><th scope="row">{@code redis://host:port}, several separated by commas</th><td>servers that run already, and that others may
 *     be using</td><td>those that a proxy can cause, so that nobody else is hurt</td></tr>
 * </tbody>
 * </table>
 *
 * <p>Each harness has a key prefix of its own. On servers that run already, what a strategy keeps for long, such as the
 * last fencing token of each name, stays behind under keys that begin with {@value #PREFIX}.
 */
public final class RedisHarness implements LockHarness {
    /** The system property that tells where the servers come from. */
    public static final String PROPERTY = "interlock.redis";

    /** The system property that names the image for containers, {@value #DEFAULT_IMAGE} unless set. */
    public static final String IMAGE_PROPERTY = "interlock.redis.image";

    /** The value of {@link #PROPERTY} that asks for processes on this machine. */
    public static final String EMBEDDED = "embedded";

    /**
     * The value of {@link #PROPERTY} that asks for a primary and its sentinels, which one {@code redis-sentinel://}
     * endpoint names.
     */
    public static final String SENTINELS = "sentinels";

    /** The value of {@link #PROPERTY} that asks for a cluster, which one {@code redis-cluster://} endpoint names. */
    public static final String CLUSTER = "cluster";

    /** The value of {@link #PROPERTY} that asks for a cluster whose primaries have replicas. */
    public static final String REPLICATED_CLUSTER = "cluster-with-replicas";

    private static final String CONTAINERS = "containers";
    private static final String DEFAULT_IMAGE = "redis:7.0";
    private static final String PREFIX = "interlock-kit:";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LockStrategyProvider provider;
    private final Supplier<Opened> opening;
    private final FaultInjector faults;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Opened opened;
    private boolean closed;

    /** The running servers, and the configuration of their clients. */
    private record Opened(LockConfig config, List<Node> nodes) {}

    private RedisHarness(LockStrategyProvider provider, Set<Fault> supported, Supplier<Opened> opening) {
        this.provider = provider;
        this.opening = opening;
        this.faults = new RedisFaults(() -> opened().nodes(), this::running, supported);
    }

    /**
     * Begins to describe a harness, of as many servers as the profile of the strategy says. Options have the values
     * that the strategy names for trials, or their defaults.
     *
     * @param provider the provider of the strategy
     * @return a new builder
     * @see dev.interlock.spi.StrategyOption#trialValue
     */
    public static Builder of(LockStrategyProvider provider) {
        return new Builder(provider);
    }

    @Override
    public LockStrategyProvider provider() {
        return provider;
    }

    /** Starts the servers at the first call, so that a rule which is skipped needs none. */
    @Override
    public LockConfig config() {
        return opened().config();
    }

    private Opened opened() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the harness is closed");
            }
            Opened current = opened;
            if (current == null) {
                current = opening.get();
                opened = current;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<FaultInjector> faults() {
        return Optional.of(faults);
    }

    @Override
    public boolean reachableFromOtherProcesses() {
        return true;
    }

    /** Heals the servers, and ends those of our own or keeps them for the next test; has no effect if called again. */
    @Override
    public void close() {
        List<Node> nodes = toClose();
        try {
            nodes.forEach(Node::heal);
        } finally {
            close(nodes);
        }
    }

    private List<Node> running() {
        lock.lock();
        try {
            return opened == null ? List.of() : opened.nodes();
        } finally {
            lock.unlock();
        }
    }

    private List<Node> toClose() {
        lock.lock();
        try {
            boolean again = closed;
            closed = true;
            return again || opened == null ? List.of() : opened.nodes();
        } finally {
            lock.unlock();
        }
    }

    private static void close(List<Node> nodes) {
        List<RuntimeException> failures = new ArrayList<>();
        for (Node node : nodes) {
            try {
                node.close();
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Builds a {@link RedisHarness}. Not safe for use by several threads at once. */
    public static final class Builder {
        /** Longer than usual, because tests share their machines, and short enough for a rule to wait for its end. */
        private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(4);

        private final LockStrategyProvider provider;
        private final LockConfig.Builder config = LockConfig.builder().commandTimeout(COMMAND_TIMEOUT);
        private int chosen;

        private Builder(LockStrategyProvider provider) {
            this.provider = Objects.requireNonNull(provider, "provider");
            provider.options()
                    .forEach(option -> option.trialValue().ifPresent(value -> config.option(option.name(), value)));
        }

        /**
         * Sets how many servers the strategy runs on. As many as its profile says unless set.
         *
         * @param servers how many, each with data of its own
         * @return this builder
         * @throws IllegalArgumentException if it is less than one
         */
        public Builder servers(int servers) {
            if (servers < 1) {
                throw new IllegalArgumentException("servers is " + servers + ": a harness needs at least one");
            }
            chosen = servers;
            return this;
        }

        /**
         * Sets an option of the strategy, as {@link LockConfig.Builder#option} does; replaces its value for trials.
         *
         * @param name the name of the option
         * @param value its value
         * @return this builder
         */
        public Builder option(String name, String value) {
            config.option(name, value);
            return this;
        }

        /**
         * Returns a harness whose servers start when they are first needed.
         *
         * @return the harness
         * @throws IllegalArgumentException if the system property {@value #PROPERTY} has a value that makes no sense,
         *     or names fewer servers than are needed
         * @throws IllegalStateException if a library is missing that the value asks for
         */
        public RedisHarness open() {
            return open(System.getProperty(PROPERTY, EMBEDDED));
        }

        /**
         * Returns a harness on the servers that a value of the system property {@value #PROPERTY} asks for, whatever it
         * is set to.
         *
         * @param value the value
         * @return the harness
         * @throws IllegalArgumentException if the value makes no sense, or names fewer servers than are needed
         * @throws IllegalStateException if a library is missing that the value asks for
         */
        public RedisHarness open(String value) {
            String backend = value.strip();
            try {
                if (backend.equals(EMBEDDED)) {
                    EmbeddedServer.requireLibrary();
                    return harness(EnumSet.allOf(Fault.class), nodes -> openOwn(nodes, EmbeddedServer::take));
                }
                if (backend.equals(SENTINELS)) {
                    return topology(OwnTopology.Kind.SENTINELS);
                }
                if (backend.equals(CLUSTER)) {
                    return topology(OwnTopology.Kind.CLUSTER);
                }
                if (backend.equals(REPLICATED_CLUSTER)) {
                    return topology(OwnTopology.Kind.REPLICATED_CLUSTER);
                }
                if (backend.equals(CONTAINERS)) {
                    ContainerServer.requireLibrary();
                    String image = System.getProperty(IMAGE_PROPERTY, DEFAULT_IMAGE);
                    return harness(
                            EnumSet.allOf(Fault.class), nodes -> openOwn(nodes, () -> ContainerServer.take(image)));
                }
                if (backend.matches("rediss?://.*")) {
                    List<URI> uris = LockConfig.of(backend).endpoints();
                    RedisHarness harness = harness(ForeignNode.FAULTS, nodes -> openForeign(nodes, uris));
                    // Checks the value: nodes of others only need proxies, which start at once.
                    harness.opened();
                    return harness;
                }
            } catch (NoClassDefFoundError e) {
                throw new IllegalStateException(
                        "a library is missing: put dev.interlock:interlock-test-servers on the class path of the tests"
                                + (backend.equals(CONTAINERS) ? ", and org.testcontainers:testcontainers 2" : ""),
                        e);
            }
            // A value that is meant as a URI may contain a password.
            throw new IllegalArgumentException(
                    PROPERTY + (backend.contains(":") ? "" : " is \"" + backend + "\" and")
                            + " cannot be used: give embedded, containers, sentinels, cluster, cluster-with-replicas, or redis://host:port, several separated by commas");
        }

        private RedisHarness harness(Set<Fault> supported, Consumer<List<Node>> source) {
            return new RedisHarness(provider, supported, () -> start(source));
        }

        private RedisHarness topology(OwnTopology.Kind kind) {
            if (servers() > 1) {
                throw new IllegalArgumentException("the strategy \"" + provider.name() + "\" runs on " + servers()
                        + " independent servers, and not on those that belong together");
            }
            return harness(EnumSet.allOf(Fault.class), nodes -> nodes.add(kind.take()));
        }

        private Opened start(Consumer<List<Node>> source) {
            List<Node> nodes = new ArrayList<>();
            try {
                source.accept(nodes);
                config.endpoints(nodes.stream()
                                .map(node -> URI.create(node.uri()))
                                .toList())
                        .keyPrefix(PREFIX + Long.toString(RANDOM.nextLong() >>> 1, Character.MAX_RADIX));
                LockConfig built = config.build();
                WarmUp.once(provider, built);
                return new Opened(built, nodes);
            } catch (RuntimeException | Error e) {
                RedisHarness.close(nodes);
                throw e;
            }
        }

        private int servers() {
            return chosen == 0 ? provider.profile().servers().usual() : chosen;
        }

        private void openOwn(List<Node> nodes, Supplier<OwnServer> source) {
            for (int i = servers(); i > 0; i--) {
                nodes.add(new OwnNode(source.get()));
            }
        }

        private void openForeign(List<Node> nodes, List<URI> uris) {
            int servers = servers();
            if (uris.size() < servers) {
                throw new IllegalArgumentException(PROPERTY + " names " + uris.size() + " of the " + servers
                        + " servers that the strategy is tested on: name them all, separated by commas");
            }
            for (URI uri : uris.subList(0, servers)) {
                nodes.add(new ForeignNode(uri));
            }
        }
    }
}
