// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.internal.Durations;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;

/**
 * The configuration of a factory of locks, the same for all strategies.
 *
 * <p>Made in code by {@link #of} and {@link #builder}, or read from the surroundings by {@link #load}. Instances are
 * immutable and safe to use from any thread; their {@link #toString} shows no password. Two are equal if their settings
 * are, and endpoints are compared as URIs: one with the default port written out differs from one without.
 */
public final class LockConfig {
    private static final Duration MAX_WAIT = Duration.ofHours(1);

    private final Optional<String> strategy;
    private final List<URI> endpoints;
    private final String keyPrefix;
    private final Duration commandTimeout;
    private final Duration waitCeiling;
    private final int localHandoffs;
    private final LockOptions lockDefaults;
    private final List<LockListener> listeners;
    private final Optional<ThreadFactory> threadFactory;
    private final Map<String, Option> options;

    /** An option under the name that its author wrote. */
    private record Option(String name, String value) {}

    private LockConfig(Builder builder) {
        strategy = builder.strategy;
        endpoints = List.copyOf(builder.endpoints);
        keyPrefix = builder.keyPrefix;
        commandTimeout = builder.commandTimeout;
        waitCeiling = builder.waitCeiling;
        localHandoffs = builder.localHandoffs;
        lockDefaults = builder.lockDefaults;
        listeners = List.copyOf(builder.listeners);
        threadFactory = builder.threadFactory;
        options = new LinkedHashMap<>(builder.options);
    }

    /**
     * Returns a configuration with the given endpoints and defaults for all else.
     *
     * @param endpoints one or more URIs, as {@link Builder#endpoints(String)} takes them
     * @return the configuration
     * @throws IllegalArgumentException if one of them is no URI with a scheme
     */
    public static LockConfig of(String endpoints) {
        return builder().endpoints(endpoints).build();
    }

    /**
     * Reads the configuration from the surroundings: the resource {@code interlock.properties} on the class path, then
     * system properties, then environment variables, of which the later ones win.
     *
     * <table class="striped">
     * <caption>Settings</caption>
     * <thead><tr><th scope="col">Property</th><th scope="col">Environment</th><th scope="col">Meaning</th></tr></thead>
     * <tbody>
     * <tr><th scope="row">{@code interlock.strategy}</th><td>{@code INTERLOCK_STRATEGY}</td><td>{@link #strategy()}</td></tr>
     * <tr><th scope="row">{@code interlock.endpoints}</th><td>{@code INTERLOCK_ENDPOINTS}</td><td>{@link #endpoints()},
     *     as {@link Builder#endpoints(String)} takes them</td></tr>
     * <tr><th scope="row">{@code interlock.key-prefix}</th><td>{@code INTERLOCK_KEY_PREFIX}</td><td>{@link #keyPrefix()}</td></tr>
     * <tr><th scope="row">{@code interlock.command-timeout}</th><td>{@code INTERLOCK_COMMAND_TIMEOUT}</td><td>{@link #commandTimeout()}</td></tr>
     * <tr><th scope="row">{@code interlock.wait-ceiling}</th><td>{@code INTERLOCK_WAIT_CEILING}</td><td>{@link #waitCeiling()}</td></tr>
     * <tr><th scope="row">{@code interlock.local-handoffs}</th><td>{@code INTERLOCK_LOCAL_HANDOFFS}</td><td>{@link #localHandoffs()}</td></tr>
     * <tr><th scope="row">{@code interlock.lease}</th><td>{@code INTERLOCK_LEASE}</td><td>{@link LockOptions#lease()}</td></tr>
     * <tr><th scope="row">{@code interlock.renewal}</th><td>{@code INTERLOCK_RENEWAL}</td><td>{@link LockOptions#renewal()}</td></tr>
     * <tr><th scope="row">{@code interlock.max-hold}</th><td>{@code INTERLOCK_MAX_HOLD}</td><td>{@link LockOptions#maxHold()}</td></tr>
     * <tr><th scope="row">{@code interlock.interrupt-on-loss}</th><td>{@code INTERLOCK_INTERRUPT_ON_LOSS}</td><td>{@link LockOptions#interruptOnLoss()}</td></tr>
     * <tr><th scope="row">{@code interlock.option.}<i>name</i></th><td>{@code INTERLOCK_OPTION_}<i>NAME</i></td><td>{@link #option}</td></tr>
     * </tbody>
     * </table>
     *
     * <p>Durations are written {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d} or in ISO-8601. A name in
     * the file that is none of these is an error, and so are two names in one source that mean the same option. System
     * properties and environment variables that are none of these are left alone. The file is in UTF-8 and is looked
     * for by the context class loader of the current thread.
     *
     * @return the configuration
     * @throws IllegalArgumentException if a setting makes no sense; the message names it and where it comes from
     * @throws java.io.UncheckedIOException if the file is there and cannot be read
     */
    public static LockConfig load() {
        return ConfigSources.ofThisProcess().read();
    }

    /**
     * Returns a builder that starts from the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a builder that starts from this configuration.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.strategy = strategy;
        builder.endpoints = endpoints;
        builder.keyPrefix = keyPrefix;
        builder.commandTimeout = commandTimeout;
        builder.waitCeiling = waitCeiling;
        builder.localHandoffs = localHandoffs;
        builder.lockDefaults = lockDefaults;
        builder.listeners.addAll(listeners);
        builder.threadFactory = threadFactory;
        builder.options.putAll(options);
        return builder;
    }

    /**
     * Returns the strategy that {@link DistributedLocks#getInstance(LockConfig)} picks.
     *
     * @return its name, or empty if the program names it
     */
    public Optional<String> strategy() {
        return strategy;
    }

    /**
     * Returns the endpoints of the servers, with the credentials for them. They contain passwords: use {@link #mask} to
     * show them in logs and messages.
     *
     * @return an unmodifiable list of URIs that each begin with {@code scheme://}; empty if the strategy is handed a
     *     client
     */
    public List<URI> endpoints() {
        return endpoints;
    }

    /**
     * Returns an endpoint for logs and messages, with {@code ***} in place of user, password and query. Returns only
     * the scheme if the password cannot be told apart, because a character of it should have been percent-encoded.
     *
     * @param endpoint the URI of an endpoint
     * @return its text, for messages and logs
     */
    public static String mask(URI endpoint) {
        return Endpoints.mask(endpoint);
    }

    /**
     * Returns the prefix of all keys and channels.
     *
     * @return the prefix
     */
    public String keyPrefix() {
        return keyPrefix;
    }

    /**
     * Returns the longest time to wait for a connection, and for the answer to one command.
     *
     * @return the time-out
     */
    public Duration commandTimeout() {
        return commandTimeout;
    }

    /**
     * Returns the longest time after which a waiter asks the backend again without being woken. It bounds the delay
     * after a lost message. A waiter in a queue of the backend with a live subscription doubles the time at each
     * request, up to a third of its lease or five times the ceiling, whichever is shorter.
     *
     * @return the ceiling
     */
    public Duration waitCeiling() {
        return waitCeiling;
    }

    /**
     * Returns the number of consecutive local hand-offs: how often a lock may pass from one thread of this factory to
     * the next without a request to the backend, before waiters on other machines get their turn.
     *
     * @return the number of hand-offs, zero if every one goes through the backend
     */
    public int localHandoffs() {
        return localHandoffs;
    }

    /**
     * Returns the options of locks for which none are given.
     *
     * @return the options
     */
    public LockOptions lockDefaults() {
        return lockDefaults;
    }

    /**
     * Returns the listeners, which are given in code only.
     *
     * @return an unmodifiable list, in the order of registration
     */
    public List<LockListener> listeners() {
        return listeners;
    }

    /**
     * Returns the thread factory for the background threads of a factory of locks.
     *
     * @return the thread factory, or empty if a factory of locks makes its threads itself
     */
    public Optional<ThreadFactory> threadFactory() {
        return threadFactory;
    }

    /**
     * Returns the value of an option that only one strategy knows.
     *
     * @param name the name of the option, compared without regard to case, dots, hyphens and underscores
     * @return its value, or empty if it was not given
     */
    public Optional<String> option(String name) {
        return Optional.ofNullable(options.get(canonical(name))).map(Option::value);
    }

    /**
     * Returns the names of all options that were given.
     *
     * @return the names, as they were written
     */
    public List<String> optionNames() {
        return options.values().stream().map(Option::name).toList();
    }

    /**
     * Checks that a strategy knows each given option. {@link DistributedLocks} calls this itself; code that creates
     * factories in another way should call it too.
     *
     * @param provider the provider of the strategy
     * @throws IllegalArgumentException if it does not know one of the options; the message lists those that it knows
     */
    public void requireKnownOptions(LockStrategyProvider provider) {
        List<StrategyOption> known = provider.options();
        for (Option option : options.values()) {
            if (known.stream().noneMatch(it -> canonical(it.name()).equals(canonical(option.name())))) {
                throw new IllegalArgumentException("strategy \"" + provider.name() + "\" has no option \""
                        + option.name() + "\"; "
                        + (known.isEmpty()
                                ? "it has none"
                                : "it has: "
                                        + known.stream()
                                                .map(StrategyOption::name)
                                                .collect(Collectors.joining(", "))));
            }
        }
    }

    /** Returns the canonical form by which names of options are compared. */
    static String canonical(String optionName) {
        return optionName.replaceAll("[._-]", "").toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockConfig that
                && strategy.equals(that.strategy)
                && endpoints.equals(that.endpoints)
                && keyPrefix.equals(that.keyPrefix)
                && commandTimeout.equals(that.commandTimeout)
                && waitCeiling.equals(that.waitCeiling)
                && localHandoffs == that.localHandoffs
                && lockDefaults.equals(that.lockDefaults)
                && listeners.equals(that.listeners)
                && threadFactory.equals(that.threadFactory)
                && options.equals(that.options);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                strategy,
                endpoints,
                keyPrefix,
                commandTimeout,
                waitCeiling,
                localHandoffs,
                lockDefaults,
                listeners,
                threadFactory,
                options);
    }

    /**
     * Returns the settings without user, password, thread factory, and the values of options, which this class cannot
     * judge; of listeners, their number.
     */
    @Override
    public String toString() {
        return "LockConfig[" + strategy.map(name -> "strategy=" + name + ", ").orElse("") + "endpoints="
                + endpoints.stream().map(Endpoints::mask).toList()
                + ", keyPrefix=" + keyPrefix + ", commandTimeout=" + commandTimeout + ", waitCeiling=" + waitCeiling
                + ", localHandoffs=" + localHandoffs + ", lockDefaults=" + lockDefaults + ", listeners="
                + listeners.size() + ", options=" + optionNames()
                + "]";
    }

    /** Builds a {@link LockConfig}. Not safe for use by several threads at once. */
    public static final class Builder {
        private Optional<String> strategy = Optional.empty();
        private List<URI> endpoints = List.of();
        private String keyPrefix = "interlock";
        private Duration commandTimeout = Duration.ofSeconds(2);
        private Duration waitCeiling = Duration.ofSeconds(1);
        private int localHandoffs = 16;
        private LockOptions lockDefaults = LockOptions.defaults();
        private final List<LockListener> listeners = new ArrayList<>();
        private Optional<ThreadFactory> threadFactory = Optional.empty();
        private final Map<String, Option> options = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets the strategy that {@link DistributedLocks#getInstance(LockConfig)} picks.
         *
         * @param strategy the name of a strategy
         * @return this builder
         * @throws IllegalArgumentException if it is blank
         */
        public Builder strategy(String strategy) {
            if (strategy.isBlank()) {
                throw new IllegalArgumentException("strategy is blank: name one, such as set-nx-px");
            }
            this.strategy = Optional.of(strategy.strip());
            return this;
        }

        /**
         * Sets the servers, replacing those that were set before. Endpoints are separated by commas that are followed
         * by the next {@code scheme://}; other commas are part of an endpoint, as in {@code
         * redis-sentinel://a,b/#master}.
         *
         * @param endpoints one or more URIs, each as {@link #endpoint(URI)} takes it
         * @return this builder
         * @throws IllegalArgumentException if one of them is no URI with a scheme
         */
        public Builder endpoints(String endpoints) {
            return endpoints(Endpoints.parseList(endpoints));
        }

        /**
         * Sets the servers, in place of those that were set before.
         *
         * @param endpoints the URIs, each as {@link #endpoint(URI)} takes it
         * @return this builder
         * @throws IllegalArgumentException if one of them does not begin with {@code scheme://}
         */
        public Builder endpoints(List<URI> endpoints) {
            List<URI> copy = List.copyOf(endpoints);
            copy.forEach(Endpoints::requireScheme);
            this.endpoints = copy;
            return this;
        }

        /**
         * Adds a server.
         *
         * @param endpoint its URI, as {@link #endpoint(URI)} takes it; a comma does not begin another one
         * @return this builder
         * @throws IllegalArgumentException if it is no URI with a scheme
         */
        public Builder endpoint(String endpoint) {
            return endpoint(Endpoints.parse(endpoint));
        }

        /**
         * Adds a server. Which schemes there are, and what a URI may have besides a host, depends on the strategy,
         * which checks it when a factory is made. Strategies over Redis take
         * {@code redis://[[user]:password@]host[:port][/database]}, and {@code rediss://} for TLS; characters of user
         * and password that have a meaning in a URI are percent-encoded.
         *
         * @param endpoint the URI of the server, which begins with {@code scheme://}
         * @return this builder
         * @throws IllegalArgumentException if the URI does not begin with {@code scheme://}
         */
        public Builder endpoint(URI endpoint) {
            List<URI> more = new ArrayList<>(endpoints);
            more.add(Endpoints.requireScheme(endpoint));
            endpoints = List.copyOf(more);
            return this;
        }

        /**
         * Sets the prefix of all keys and channels. Programs that are to exclude each other need the same prefix, and
         * an access control list can name it. A key is that under which a backend keeps a lock, whatever it calls it,
         * such as the key of a row; the {@linkplain DistributedLock#name() name} of the lock is without the prefix.
         *
         * @param keyPrefix from 1 to 100 letters, digits and characters of {@code . _ : / -}
         * @return this builder
         * @throws IllegalArgumentException if the prefix is empty, longer, or has other characters
         */
        public Builder keyPrefix(String keyPrefix) {
            if (!keyPrefix.matches("[A-Za-z0-9._:/-]{1,100}")) {
                throw new IllegalArgumentException(
                        "keyPrefix cannot be used: write 1 to 100 letters, digits and characters of . _ : / -");
            }
            this.keyPrefix = keyPrefix;
            return this;
        }

        /**
         * Sets the longest time to wait for a connection, and for the answer to one command. Two seconds unless set.
         * Fractions of a millisecond are dropped.
         *
         * @param commandTimeout from one millisecond to one hour
         * @return this builder
         * @throws IllegalArgumentException if it lies outside
         */
        public Builder commandTimeout(Duration commandTimeout) {
            this.commandTimeout = Durations.toMillis("commandTimeout", commandTimeout, Duration.ofMillis(1), MAX_WAIT);
            return this;
        }

        /**
         * Sets the longest time after which a waiter asks the backend again without being woken, see
         * {@link LockConfig#waitCeiling}. One second unless set. Fractions of a millisecond are dropped.
         *
         * @param waitCeiling from one millisecond to one hour
         * @return this builder
         * @throws IllegalArgumentException if it lies outside
         */
        public Builder waitCeiling(Duration waitCeiling) {
            this.waitCeiling = Durations.toMillis("waitCeiling", waitCeiling, Duration.ofMillis(1), MAX_WAIT);
            return this;
        }

        /**
         * Sets the number of consecutive local hand-offs, without a request to the backend. 16 unless set.
         *
         * @param localHandoffs from 0, which switches local hand-off off, to 10,000
         * @return this builder
         * @throws IllegalArgumentException if it lies outside
         */
        public Builder localHandoffs(int localHandoffs) {
            if (localHandoffs < 0 || localHandoffs > 10_000) {
                throw new IllegalArgumentException(
                        "localHandoffs is " + localHandoffs + ": it must lie between 0 and 10000");
            }
            this.localHandoffs = localHandoffs;
            return this;
        }

        /**
         * Sets the options of locks for which none are given.
         *
         * @param lockDefaults the options
         * @return this builder
         */
        public Builder lockDefaults(LockOptions lockDefaults) {
            this.lockDefaults = Objects.requireNonNull(lockDefaults, "lockDefaults");
            return this;
        }

        /**
         * Adds a listener for the locks of each factory that is created from the configuration.
         *
         * @param listener the listener
         * @return this builder
         */
        public Builder listener(LockListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Sets the factory of the background threads of a factory of locks: for renewals, for the ends of leases, for
         * listeners and for asynchronous acquisitions. In code only: it has no setting in files. A thread factory may
         * be called at any time while a factory of locks is open, from any thread, and its threads may live until that
         * is closed. It must not return {@code null}, and must not start the thread. Threads of a client library are
         * not made by it.
         *
         * @param threadFactory makes the threads
         * @return this builder
         */
        public Builder threadFactory(ThreadFactory threadFactory) {
            this.threadFactory = Optional.of(threadFactory);
            return this;
        }

        /**
         * Sets an option that only one strategy knows; replaces an earlier value. Whether the strategy knows it is
         * checked when a factory is made.
         *
         * @param name the name of the option, compared without regard to case, dots, hyphens and underscores
         * @param value its value
         * @return this builder
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder option(String name, String value) {
            if (canonical(name).isBlank()) {
                throw new IllegalArgumentException("the name of an option is blank");
            }
            options.put(canonical(name), new Option(name, Objects.requireNonNull(value, "value")));
            return this;
        }

        /**
         * Returns the configuration.
         *
         * @return the configuration
         */
        public LockConfig build() {
            return new LockConfig(this);
        }
    }
}
