// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import dev.interlock.LockConfig;
import dev.interlock.spi.StrategyOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of connections that Interlock opens itself: time-outs, TLS, credentials.
 *
 * <p>Read from the options of a configuration by {@link #of}; what text cannot carry is set by a {@link Builder}.
 * Connections of a client that was handed in are not concerned. Instances are immutable and safe to use from any
 * thread; {@link #toString} shows no secret.
 */
public final class ConnectionSettings {
    /** The option for {@link #connectTimeout}. */
    public static final StrategyOption CONNECT_TIMEOUT = new StrategyOption(
                    "connect-timeout",
                    "10s",
                    "the longest time to open a connection: TCP, TLS and log-in together; the command time-out if that is longer; a call"
                            + " gives up earlier if its own time is over")
            .mixedWith("5s");

    /** The option for {@link #connections}. */
    public static final StrategyOption CONNECTIONS = new StrategyOption(
                    "connections",
                    "64",
                    "how many Jedis connections threads share, from 1 to 1000; two more are kept for renewals")
            .mixedWith("8");

    /** The option for {@link #sharedConnections}. */
    public static final StrategyOption SHARED_CONNECTIONS = new StrategyOption(
                    "shared-connections",
                    "2",
                    "with client=interlock, how many connections to a server all threads share at most, from 1 to 64; they are opened as"
                            + " they are needed")
            .mixedWith("4");

    /** The option for {@link #clientName}. */
    public static final StrategyOption CLIENT_NAME = new StrategyOption(
                    "client-name", "none", "the name that the server shows for the connections in CLIENT LIST")
            .mixedWith("locks");

    /** The option for {@link #keepAlive}. */
    public static final StrategyOption KEEP_ALIVE = new StrategyOption(
                    "keep-alive",
                    "30s",
                    "after how long the system probes a connection on which nothing is sent, in whole seconds; one that stays silent for"
                            + " twice that time is ended")
            .mixedWith("20s");

    /** The option for a file with certificates of issuers to trust. */
    public static final StrategyOption TLS_CA = new StrategyOption(
            "tls-ca",
            "the JVM's trust store",
            "a PEM file with the certificates of the issuers to accept, for rediss:// endpoints");

    /** The option for a file with a client certificate. */
    public static final StrategyOption TLS_CERTIFICATE = new StrategyOption(
            "tls-certificate",
            "none",
            "a PEM file with the client certificate to show, and those that lead to its issuer");

    /** The option for a file with the key of the client certificate. */
    public static final StrategyOption TLS_KEY = new StrategyOption(
            "tls-key",
            "none",
            "a PEM file with the private key of the client certificate, in PKCS#8 format and not encrypted");

    /** The options of connections over any client library. */
    public static final List<StrategyOption> OPTIONS =
            List.of(CONNECT_TIMEOUT, CLIENT_NAME, KEEP_ALIVE, TLS_CA, TLS_CERTIFICATE, TLS_KEY);

    /** The options of pooled connections, each of which serves one thread at a time. */
    public static final List<StrategyOption> POOL_OPTIONS =
            Stream.concat(Stream.of(CONNECTIONS), OPTIONS.stream()).toList();

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_CONNECTIONS = 1000;
    private static final int MOST_SHARED = 64;

    private final Duration connectTimeout;
    private final int connections;
    private final int sharedConnections;
    private final Optional<String> clientName;
    private final Duration keepAlive;
    private final Optional<Function<RedisEndpoint, RedisCredentials>> credentials;
    private final boolean suppliesAll;
    private final Optional<SSLContext> sslContext;

    private ConnectionSettings(Builder builder) {
        this.connectTimeout = builder.connectTimeout;
        this.connections = builder.connections;
        this.sharedConnections = builder.sharedConnections;
        this.clientName = builder.clientName;
        this.keepAlive = builder.keepAlive;
        this.credentials = Optional.ofNullable(builder.credentials);
        this.suppliesAll = builder.suppliesAll;
        this.sslContext = Optional.ofNullable(builder.sslContext);
    }

    /**
     * Reads the options of a configuration, and the files that they name.
     *
     * @param config the configuration
     * @return the settings
     * @throws IllegalArgumentException if an option has a value that makes no sense, or a file cannot be used; the
     *     message says which
     */
    public static ConnectionSettings of(LockConfig config) {
        Builder builder = builder()
                .connectTimeout(readConnectTimeout(config))
                .keepAlive(KEEP_ALIVE.duration(config, Duration.ofSeconds(1), LONGEST));
        config.option(CONNECTIONS.name())
                .ifPresent(number -> builder.connections(parse(CONNECTIONS, number, MOST_CONNECTIONS)));
        config.option(SHARED_CONNECTIONS.name())
                .ifPresent(number -> builder.sharedConnections(parse(SHARED_CONNECTIONS, number, MOST_SHARED)));
        config.option(CLIENT_NAME.name()).ifPresent(builder::clientName);
        @Nullable Path issuers = file(config, TLS_CA);
        @Nullable Path certificate = file(config, TLS_CERTIFICATE);
        @Nullable Path key = file(config, TLS_KEY);
        if (issuers != null || certificate != null || key != null) {
            builder.sslContext(PemFiles.context(issuers, certificate, key));
        }
        return builder.build();
    }

    /**
     * Reads the options of a configuration, and applies changes made in code.
     *
     * @param config the configuration
     * @param changes sets what options cannot carry
     * @return the settings
     * @throws IllegalArgumentException if an option has a value that makes no sense, or a file cannot be used; the
     *     message says which
     */
    public static ConnectionSettings of(LockConfig config, Consumer<Builder> changes) {
        Builder builder = of(config).toBuilder();
        changes.accept(builder);
        return builder.build();
    }

    private static Duration readConnectTimeout(LockConfig config) {
        Duration timeout = CONNECT_TIMEOUT.duration(config, SHORTEST, LONGEST);
        boolean chosen = config.option(CONNECT_TIMEOUT.name()).isPresent();
        // Connecting gets at least as much time as a command.
        return chosen || timeout.compareTo(config.commandTimeout()) > 0 ? timeout : config.commandTimeout();
    }

    private static int parse(StrategyOption option, String text, int most) {
        // Four digits at most can be no larger than an int.
        int number = text.strip().matches("\\d{1,4}") ? Integer.parseInt(text.strip()) : -1;
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(
                    "option " + option.name() + " is \"" + text + "\": it must be a number from 1 to " + most);
        }
        return number;
    }

    private static @Nullable Path file(LockConfig config, StrategyOption option) {
        return config.option(option.name()).map(text -> Path.of(text.strip())).orElse(null);
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
     * Returns a builder that starts from these settings.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.connectTimeout = connectTimeout;
        builder.connections = connections;
        builder.sharedConnections = sharedConnections;
        builder.clientName = clientName;
        builder.keepAlive = keepAlive;
        builder.credentials = credentials.orElse(null);
        builder.suppliesAll = suppliesAll;
        builder.sslContext = sslContext.orElse(null);
        return builder;
    }

    /**
     * Returns these settings without the supplier of credentials, for servers that it is not meant for, such as
     * sentinels.
     *
     * @return settings with which connections log in as their endpoints say
     */
    public ConnectionSettings withoutCredentials() {
        Builder builder = toBuilder();
        builder.credentials = null;
        builder.suppliesAll = false;
        return builder.build();
    }

    /**
     * Returns these settings without the certificates, for a server that is reached without TLS among others that are
     * not.
     *
     * @return settings with which no TLS context goes
     */
    public ConnectionSettings withoutCertificates() {
        Builder builder = toBuilder();
        builder.sslContext = null;
        return builder.build();
    }

    /**
     * Fails if these settings contradict the endpoints of servers that are independent of each other: some of them may
     * do without TLS.
     *
     * @param endpoints the endpoints
     * @throws IllegalArgumentException if there is something for TLS and no endpoint uses it, or if both an endpoint
     *     and these settings tell what to log in with
     */
    public void requireConsistent(List<RedisEndpoint> endpoints) {
        boolean tls = endpoints.stream().anyMatch(RedisEndpoint::tls);
        endpoints.stream().filter(endpoint -> endpoint.tls() || !tls).forEach(this::requireConsistent);
        endpoints.stream().filter(endpoint -> !endpoint.tls()).forEach(this::requireOneLogin);
    }

    /**
     * Fails if these settings contradict an endpoint.
     *
     * @param endpoint the endpoint
     * @throws IllegalArgumentException if there is something for TLS and the endpoint does not use it, or if both the
     *     endpoint and these settings tell what to log in with
     */
    public void requireConsistent(RedisEndpoint endpoint) {
        if (sslContext.isPresent() && !endpoint.tls()) {
            throw new IllegalArgumentException("certificates are given for TLS, which the endpoint " + endpoint
                    + " does not use: begin it with rediss:// instead of redis://");
        }
        requireOneLogin(endpoint);
    }

    private void requireOneLogin(RedisEndpoint endpoint) {
        if (suppliesAll && endpoint.password().isPresent()) {
            throw new IllegalArgumentException("the endpoint " + endpoint
                    + " has a password, and there is a supplier of credentials too: leave one of them out");
        }
    }

    /**
     * Returns the longest time to open a connection, log-in included.
     *
     * @return the time-out
     */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * Returns how many connections threads share, where each connection serves one thread at a time.
     *
     * @return the number of connections
     */
    public int connections() {
        return connections;
    }

    /**
     * Returns how many connections to a server threads share, where each connection serves many threads at once.
     *
     * @return the number of connections
     */
    public int sharedConnections() {
        return sharedConnections;
    }

    /**
     * Returns the name of the connections in {@code CLIENT LIST}.
     *
     * @return the name, or empty if none is set
     */
    public Optional<String> clientName() {
        return clientName;
    }

    /**
     * Returns the idle time after which the system probes a connection.
     *
     * @return the time, in whole seconds
     */
    public Duration keepAlive() {
        return keepAlive;
    }

    /**
     * Returns what tells with what to log in to a server whose endpoint has no password.
     *
     * @return the function, or empty if the endpoints tell
     */
    public Optional<Function<RedisEndpoint, RedisCredentials>> credentials() {
        return credentials;
    }

    /**
     * Returns the certificates for TLS.
     *
     * @return the context, or empty for the JVM's default
     */
    public Optional<SSLContext> sslContext() {
        return sslContext;
    }

    @Override
    public String toString() {
        return "ConnectionSettings[connectTimeout=" + connectTimeout + ", connections=" + connections
                + ", sharedConnections=" + sharedConnections + ", clientName=" + clientName.orElse("none")
                + ", keepAlive=" + keepAlive
                + (credentials.isPresent() ? ", credentials=supplied" : "")
                + (sslContext.isPresent() ? ", sslContext=given" : "") + "]";
    }

    /** Builds {@link ConnectionSettings}. Not safe for use by several threads at once. */
    public static final class Builder {
        private Duration connectTimeout = Duration.ofSeconds(10);
        private int connections = 64;
        private int sharedConnections = 2;
        private Optional<String> clientName = Optional.empty();
        private Duration keepAlive = Duration.ofSeconds(30);
        private @Nullable Function<RedisEndpoint, RedisCredentials> credentials;
        private boolean suppliesAll;
        private @Nullable SSLContext sslContext;

        private Builder() {}

        /**
         * Sets the longest time to open a connection: TCP, TLS and log-in together. A call gives up earlier if its own
         * time is over. The default is ten seconds.
         *
         * @param timeout the time-out, from a millisecond to an hour
         * @return this builder
         */
        public Builder connectTimeout(Duration timeout) {
            if (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "the connect time-out is " + timeout + ": it must be between " + SHORTEST + " and " + LONGEST);
            }
            this.connectTimeout = timeout;
            return this;
        }

        /**
         * Sets how many Jedis connections threads share. The default is 64.
         *
         * @param number the number of connections, from 1 to 1000
         * @return this builder
         */
        public Builder connections(int number) {
            if (number < 1 || number > MOST_CONNECTIONS) {
                throw new IllegalArgumentException("the number of connections is " + number
                        + ": it must be a number from 1 to " + MOST_CONNECTIONS);
            }
            this.connections = number;
            return this;
        }

        /**
         * Sets how many connections to a server threads share at most with {@code client=interlock}. The default is 2.
         *
         * @param number the number of connections, from 1 to 64
         * @return this builder
         */
        public Builder sharedConnections(int number) {
            if (number < 1 || number > MOST_SHARED) {
                throw new IllegalArgumentException("the number of shared connections is " + number
                        + ": it must be a number from 1 to " + MOST_SHARED);
            }
            this.sharedConnections = number;
            return this;
        }

        /**
         * Sets the name of the connections in {@code CLIENT LIST}. It is omitted on servers that do not allow {@code
         * CLIENT SETNAME}.
         *
         * @param name a name of printable characters without spaces
         * @return this builder
         */
        public Builder clientName(String name) {
            if (!name.matches("[!-~]{1,64}")) {
                throw new IllegalArgumentException("the client name \"" + name
                        + "\" cannot be used: it must be 1 to 64 printable ASCII characters without spaces");
            }
            this.clientName = Optional.of(name);
            return this;
        }

        /**
         * Sets the idle time after which the system probes a connection. The connection is closed if it stays silent
         * for as long again. The default is 30 seconds.
         *
         * @param idle the time, from a second to an hour, of which fractions of a second are dropped
         * @return this builder
         */
        public Builder keepAlive(Duration idle) {
            if (idle.toSeconds() < 1 || idle.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "keep-alive is " + idle + ": it must be between a second and " + LONGEST);
            }
            this.keepAlive = Duration.ofSeconds(idle.toSeconds());
            return this;
        }

        /**
         * Sets the supplier of credentials. It is called for each new connection, and again before the credentials
         * {@linkplain RedisCredentials#expiresAt expire}. It is called on threads that wait for the connection,
         * possibly several at once, so it should cache a token while that is valid, and return within the connect
         * time-out.
         *
         * @param supplier the supplier
         * @return this builder
         */
        public Builder credentials(Supplier<RedisCredentials> supplier) {
            Objects.requireNonNull(supplier, "supplier");
            this.credentials = endpoint -> supplier.get();
            this.suppliesAll = true;
            return this;
        }

        /**
         * As {@link #credentials}, where servers have different users or passwords. A server whose endpoint has a
         * password is logged in to with that one.
         *
         * @param source tells with what to log in to a server; is called as a supplier is
         * @return this builder
         */
        public Builder credentialsByServer(Function<RedisEndpoint, RedisCredentials> source) {
            this.credentials = Objects.requireNonNull(source, "source");
            this.suppliesAll = false;
            return this;
        }

        /**
         * Sets the certificates for TLS, which endpoints that begin with {@code rediss://} use. Host names are verified
         * whatever the context.
         *
         * @param context the context
         * @return this builder
         */
        public Builder sslContext(SSLContext context) {
            this.sslContext = Objects.requireNonNull(context, "context");
            return this;
        }

        /**
         * Returns the settings.
         *
         * @return the settings
         */
        public ConnectionSettings build() {
            return new ConnectionSettings(this);
        }
    }
}
