// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

/** A client library over which {@link RedisNodes} makes connections of its own. */
public enum ClientLibrary {
    /** Jedis: one connection per busy thread. */
    JEDIS("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis"),
    /** Lettuce: one connection for all threads. */
    LETTUCE("Lettuce", "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core"),
    /** Few connections that all threads share: callers write and read in turn, and Jedis parses the replies. */
    INTERLOCK("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis");

    private final String title;
    private final String type;
    private final String artifact;

    ClientLibrary(String title, String type, String artifact) {
        this.title = title;
        this.type = type;
        this.artifact = artifact;
    }

    /** Fails if the library is not on the class path. */
    void require() {
        try {
            Class.forName(type, false, ClientLibrary.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    title + " is not there: add the artifact " + artifact + " to the program, or choose another client",
                    e);
        }
    }
}
