// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.redis.endpoint.RedisEndpoint;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisException;

/** One connection to one server, for everything but locks. Not safe for use by several threads at once. */
public final class PlainClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final Pattern VERSION = Pattern.compile("(?m)^redis_version:(\\S+)");
    private static final Pattern CALLS = Pattern.compile("(?m)^cmdstat_([^:]+):calls=(\\d+)");

    /** What {@link #commandsCarriedOut} itself and the opening of connections cost. */
    private static final Pattern OWN = Pattern.compile("info|hello|auth|select|quit|client\\|setinfo|client\\|setname");

    private final RedisEndpoint endpoint;
    private final Jedis jedis;

    /** Connects to the server at a URI. */
    public PlainClient(URI uri) {
        endpoint = RedisEndpoint.of(uri);
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .user(endpoint.username().orElse(null))
                .password(endpoint.password().orElse(null))
                .database(endpoint.database())
                .sslOptions(endpoint.tls() ? SslOptions.defaults() : null)
                .timeoutMillis(TIMEOUT_MILLIS)
                .build();
        try {
            jedis = new Jedis(endpoint.host(), endpoint.port(), config);
            jedis.connect();
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    /** Adds one in two steps, between which another client can get in: what a lock must prevent. */
    public void incrementUnguarded(String key) {
        try {
            jedis.set(key, Long.toString(read(key) + 1));
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    public long read(String key) {
        try {
            String value = jedis.get(key);
            return value == null ? 0 : Long.parseLong(value);
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    public void delete(String key) {
        try {
            jedis.del(key);
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    String redisVersion() {
        Matcher version = VERSION.matcher(info("server"));
        return version.find() ? version.group(1) : "unknown";
    }

    /** How many commands the server has carried out, without those that observe it. */
    long commandsCarriedOut() {
        return CALLS.matcher(info("commandstats"))
                .results()
                .filter(calls -> !OWN.matcher(calls.group(1)).matches())
                .collect(Collectors.summingLong(calls -> Long.parseLong(calls.group(2))));
    }

    private String info(String section) {
        try {
            return jedis.info(section);
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    private ToolException failed(JedisException e) {
        return new ToolException(
                endpoint + " cannot be used: " + Messages.withoutPasswords(String.valueOf(e.getMessage())), e);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
