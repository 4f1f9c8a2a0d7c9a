// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.JedisNodes;
import dev.interlock.redis.connect.LettuceNodes;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes factories of {@code set-nx-px} locks over a client that the application has already, which they do not close.
 *
 * <pre>{@code
 * DistributedLockFactory locks = SetNxPxLocks.builder().jedis(client).build();
 * }</pre>
 *
 * <p>Programs without a client of their own ask {@link dev.interlock.DistributedLocks#getInstance(String, LockConfig)}. A builder is
 * not safe for use by several threads at once.
 */
public final class SetNxPxLocks {
    private LockConfig config = LockConfig.builder().build();
    private @Nullable Function<Environment, RedisNode> nodeMaker;

    private SetNxPxLocks() {}

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static SetNxPxLocks builder() {
        return new SetNxPxLocks();
    }

    /**
     * Uses connections from the pool of a Jedis client, which needs room for the threads that are busy at once, and one more, made
     * in the same way, to listen. Time-outs are those of the client where it sets them. Jedis lets nothing be sent on a connection
     * whose reply is late, so a request that a stalled server carries out late is undone over another one.
     *
     * @param client the client
     * @return this builder
     */
    public SetNxPxLocks jedis(redis.clients.jedis.RedisClient client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, env);
        return this;
    }

    /**
     * Uses the threads of a Lettuce client, over connections of its own to a server.
     *
     * @param client the client
     * @param uri the server, with what is needed to log in
     * @return this builder
     */
    public SetNxPxLocks lettuce(io.lettuce.core.RedisClient client, io.lettuce.core.RedisURI uri) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(uri, "uri");
        nodeMaker = env -> LettuceNodes.of(client, uri, env);
        return this;
    }

    /**
     * Sets the configuration. Its endpoints, and the options {@code client} and {@code shared-connections}, are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public SetNxPxLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Returns a factory of locks over the client.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if no client was given
     * @throws IllegalArgumentException if the configuration has an option that this strategy does not know, or a value that makes
     *     no sense
     */
    public DistributedLockFactory build() {
        if (nodeMaker == null) {
            throw new IllegalStateException(
                    "no client was given: call jedis(…) or lettuce(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        config.requireKnownOptions(new SetNxPxStrategyProvider());
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        return SetNxPxProtocol.newFactory(nodeMaker.apply(env), settings, config, env);
    }
}
