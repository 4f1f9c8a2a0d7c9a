// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.LettuceNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates factories of {@code redlock} locks over a Lettuce client that the application already has, and that the
 * factories do not close.
 *
 * <pre>{@code
 * DistributedLockFactory locks = RedlockLocks.builder().lettuce(client, List.of(a, b, c)).build();
 * }</pre>
 *
 * <p>Programs without a client of their own call {@link dev.interlock.DistributedLocks#getInstance(String,
 * LockConfig)}, or use {@link #connections} for settings that options cannot hold. A builder is not safe for use by
 * several threads at once.
 */
public final class RedlockLocks {
    private LockConfig config = LockConfig.builder().build();
    private Environment environment = Environment.system();
    private @Nullable RedisClient client;
    private List<RedisURI> uris = List.of();
    private List<String> addresses = List.of();
    private @Nullable Function<String, RedisNode> nodeMaker;
    private @Nullable Consumer<AttemptReport> onAttempt;
    private @Nullable Consumer<ConnectionSettings.Builder> connections;

    private RedlockLocks() {}

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static RedlockLocks builder() {
        return new RedlockLocks();
    }

    /**
     * Uses the threads of a Lettuce client, over connections of its own to servers that are independent of each other.
     *
     * @param lettuce the client
     * @param servers the servers, with what is needed to log in
     * @return this builder
     */
    public RedlockLocks lettuce(RedisClient lettuce, List<RedisURI> servers) {
        this.client = Objects.requireNonNull(lettuce, "lettuce");
        this.uris = List.copyOf(servers);
        return this;
    }

    /**
     * Uses ports to Redis that are not this library's, with the clock and the threads that go with them: those of a
     * simulation, which has a clock of its own. Commands go over {@link RedisNode#openLink}, messages come over {@link
     * RedisNode#subscribe(String, RedisNode.Listener)}.
     *
     * @param servers host and port of each server, such as {@code a.example.com:6379}; they are independent of each
     *     other
     * @param connect makes the port to the server at an address, which the factory closes; also asked for servers that
     *     join later, whose addresses the others announce
     * @param env the source of time, waiting, threads and randomness
     * @return this builder
     */
    public RedlockLocks nodes(List<String> servers, Function<String, RedisNode> connect, Environment env) {
        this.addresses = List.copyOf(servers);
        this.nodeMaker = Objects.requireNonNull(connect, "connect");
        this.environment = Objects.requireNonNull(env, "env");
        return this;
    }

    /**
     * Uses connections of its own to the endpoints of the configuration. Their settings are those of the options,
     * changed by the given function, which can set what options cannot hold: a TLS context and a supplier of
     * credentials.
     *
     * @param settings changes the settings that the options give; called by {@link #build}
     * @return this builder
     */
    public RedlockLocks connections(Consumer<ConnectionSettings.Builder> settings) {
        this.connections = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets the configuration. Over a client that is handed in, its endpoints and the options that concern connections
     * are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public RedlockLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Adds a listener to attempts. It is called after each attempt to acquire a lock, on the thread that made it.
     *
     * @param listener must be safe to use from any thread, and must not block or throw
     * @return this builder
     */
    public RedlockLocks onAttempt(Consumer<AttemptReport> listener) {
        this.onAttempt = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Returns a factory of locks.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if not exactly one of a client, {@link #nodes} and {@link #connections} was given
     * @throws IllegalArgumentException if the number of servers is not permitted, or the configuration has an unknown
     *     option or an invalid value
     */
    public DistributedLockFactory build() {
        Environment env = environment;
        config.requireKnownOptions(new RedlockStrategyProvider());
        RedisClient lettuce = client;
        Function<String, RedisNode> connect = nodeMaker;
        if (connections != null) {
            if (lettuce != null || connect != null) {
                throw new IllegalStateException(
                        "both a client and connections(…) were given: a client that is handed in has settings of its own");
            }
            return RedlockStrategyProvider.newFactory(
                    config, ConnectionSettings.of(config, connections), env, onAttempt);
        }
        if (lettuce != null && connect != null) {
            throw new IllegalStateException("both lettuce(…) and nodes(…) were called: call one of them");
        }
        Settings settings = Settings.of(config);
        if (connect != null) {
            settings.requireCount(addresses.size());
            RedlockProtocol.Joining joining = address -> new RedlockProtocol.Server(address, connect.apply(address));
            return RedlockProtocol.newFactory(joining.joinAll(addresses), joining, settings, config, env, onAttempt);
        }
        if (lettuce == null) {
            throw new IllegalStateException(
                    "no client was given: call lettuce(…), nodes(…) or connections(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        settings.requireCount(uris.size());
        List<RedlockProtocol.Server> servers = new ArrayList<>();
        for (int i = 0; i < uris.size(); i++) {
            RedisURI uri = uris.get(i);
            if (!uri.getSentinels().isEmpty() && !settings.allowFailover()) {
                throw new IllegalArgumentException("server " + (i + 1)
                        + " is whatever Sentinel says, and so may be a replica that lacks locks: give the addresses of servers"
                        + " without replicas, or set the option failover=allow");
            }
            String name = uri.getHost() == null ? "server " + (i + 1) : uri.getHost() + ":" + uri.getPort();
            servers.add(new RedlockProtocol.Server(name, LettuceNodes.of(lettuce, uri, env)));
        }
        return RedlockProtocol.newFactory(
                servers, address -> join(lettuce, uris.get(0), address, env), settings, config, env, onAttempt);
    }

    /** Connects to a node that was not handed in, with the settings of the first one that was. */
    private static RedlockProtocol.Server join(RedisClient client, RedisURI like, String address, Environment env) {
        int colon = address.lastIndexOf(':');
        RedisURI uri = RedisURI.builder(like)
                .withHost(address.substring(0, colon))
                .withPort(Integer.parseInt(address.substring(colon + 1)))
                .build();
        return new RedlockProtocol.Server(address, LettuceNodes.of(client, uri, env));
    }
}
