// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockConfig;
import dev.interlock.RedisEndpoint;
import dev.interlock.engine.Environment;
import io.lettuce.core.RedisURI;

/**
 * Makes {@link RedisNode}s over a client library, which need be there only if its method is called.
 *
 * <p>None of the methods connects; the nodes do when they are first used.
 */
public final class RedisNodes {
    private RedisNodes() {}

    /**
     * Makes a node with Jedis connections of its own, at most 64 and as many as are used at once.
     *
     * @param endpoint the server
     * @param config tells how long connecting may take where no call sets a bound
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing; the message names the artifact to add
     */
    public static RedisNode jedis(RedisEndpoint endpoint, LockConfig config, Environment env) {
        requireJedis();
        return Jedis.node(endpoint, config, env);
    }

    /**
     * Makes a node over the connection pool of a Jedis client, and one more connection made in the same way to listen.
     *
     * <p>Jedis sends nothing more on a connection whose reply was late, so {@link RedisNode#callOrUndo} treats it as broken
     * and does not undo. Give an endpoint instead of a client where that matters.
     *
     * @param client the client, which stays open when the node is closed
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing; the message names the artifact to add
     */
    public static RedisNode jedis(redis.clients.jedis.RedisClient client, Environment env) {
        requireJedis();
        return Jedis.node(client, env);
    }

    /**
     * Makes a node with a Lettuce client of its own.
     *
     * @param endpoint the server
     * @param config tells how long connecting may take
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing; the message names the artifact to add
     */
    public static RedisNode lettuce(RedisEndpoint endpoint, LockConfig config, Environment env) {
        requireLettuce();
        return Lettuce.node(endpoint, config, env);
    }

    /**
     * Makes a node with connections of its own that share the threads and options of a Lettuce client, except that nothing
     * is ever sent twice.
     *
     * @param client the client, which stays open when the node is closed
     * @param uri the server
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing; the message names the artifact to add
     */
    public static RedisNode lettuce(io.lettuce.core.RedisClient client, RedisURI uri, Environment env) {
        requireLettuce();
        return Lettuce.node(client, uri, env);
    }

    private static void requireJedis() {
        require("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis");
    }

    private static void requireLettuce() {
        require("Lettuce", "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core");
    }

    private static void require(String library, String type, String artifact) {
        try {
            Class.forName(type, false, RedisNodes.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    library + " is not there: add the artifact " + artifact
                            + " to the program, or choose another client",
                    e);
        }
    }

    /** Apart, so that it is loaded only where Jedis is there. */
    private static final class Jedis {
        static RedisNode node(RedisEndpoint endpoint, LockConfig config, Environment env) {
            Failures failures = new Failures(endpoint.toString());
            JedisWire wire = JedisWire.own(env, failures, endpoint, config.commandTimeout());
            return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
        }

        static RedisNode node(redis.clients.jedis.RedisClient client, Environment env) {
            Failures failures = new Failures("the server of the given Jedis client");
            JedisWire wire = JedisWire.of(env, failures, client.getPool());
            return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
        }
    }

    /** Apart, so that it is loaded only where Lettuce is there. */
    private static final class Lettuce {
        static RedisNode node(RedisEndpoint endpoint, LockConfig config, Environment env) {
            return node(
                    LettuceClient.own(env, endpoint, config.commandTimeout()), new Failures(endpoint.toString()), env);
        }

        static RedisNode node(io.lettuce.core.RedisClient client, RedisURI uri, Environment env) {
            String server = uri.getHost() == null
                    ? "the server of the given Lettuce client"
                    : (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort();
            return node(LettuceClient.of(env, client, uri), new Failures(server), env);
        }

        private static RedisNode node(LettuceClient client, Failures failures, Environment env) {
            return new ClientNode(
                    env,
                    failures,
                    new LettuceWire(env, failures, client),
                    new LettuceSubscriptions(env, failures, client));
        }
    }
}
