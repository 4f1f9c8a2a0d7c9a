// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** One connection to one server, for everything but locks. Not safe for use by several threads at once. */
public final class PlainClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int SCANNED_AT_ONCE = 1_000;
    private static final int EVERY_ELEMENT = 0;
    private static final Pattern VERSION = Pattern.compile("(?m)^redis_version:(\\S+)");
    private static final Pattern CALLS = Pattern.compile("(?m)^cmdstat_([^:]+):calls=(\\d+)");

    /** The commands of {@link #commandsCarriedOut} itself and of the opening of connections. */
    private static final Pattern OWN = Pattern.compile("info|hello|auth|select|quit|client\\|setinfo|client\\|setname");

    private final RedisEndpoint endpoint;
    private final Jedis jedis;

    /** Connects to a server. */
    PlainClient(RedisEndpoint endpoint) {
        this.endpoint = endpoint;
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

    /**
     * Connects to the server that has a key.
     *
     * @param endpoints where the servers are, as {@link Backend#endpoints} says it
     * @param key the key
     */
    public static PlainClient to(String endpoints, String key) {
        return DataServers.of(LockConfig.of(endpoints).endpoints()).connect(key);
    }

    /** Adds one in two steps. Another client can interfere between them unless a lock prevents it. */
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

    /**
     * Returns the keys of this server that fit a pattern and have a type. Asks for a few at a time, so that the server
     * serves others in between.
     */
    Set<String> keys(String pattern, Optional<String> type) {
        Set<String> keys = new HashSet<>();
        ScanParams params = new ScanParams().match(pattern).count(SCANNED_AT_ONCE);
        String cursor = ScanParams.SCAN_POINTER_START;
        try {
            do {
                ScanResult<String> part =
                        type.isPresent() ? jedis.scan(cursor, params, type.get()) : jedis.scan(cursor, params);
                keys.addAll(part.getResult());
                cursor = part.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
            return keys;
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    /** Returns whether this server is a primary, which takes writes. */
    boolean isPrimary() {
        return info("replication").contains("role:master");
    }

    /** Tells whether this server is responsible for a key, and not another node of its cluster. */
    boolean has(String key) {
        try {
            jedis.exists(key);
            return true;
        } catch (JedisMovedDataException e) {
            return false;
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    /** Asks a node of a cluster for the primaries. */
    List<RedisEndpoint> clusterPrimaries() {
        try {
            return ((List<?>) jedis.sendCommand(Protocol.Command.CLUSTER, "SLOTS"))
                    .stream()
                            .map(range -> (List<?>) ((List<?>) range).get(2))
                            .map(node -> at(
                                    endpoint, new String((byte[]) node.get(0), UTF_8), ((Long) node.get(1)).intValue()))
                            .distinct()
                            .toList();
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    /**
     * Asks a sentinel for the primary.
     *
     * @param name the name of the primary
     * @param login how to log in to it
     */
    RedisEndpoint primary(String name, RedisEndpoint login) {
        try {
            List<String> address = jedis.sentinelGetMasterAddrByName(name);
            if (address == null) {
                throw new ToolException(endpoint + " knows no primary \"" + name + "\"");
            }
            return at(login, address.get(0), Integer.parseInt(address.get(1)));
        } catch (JedisException e) {
            throw failed(e);
        }
    }

    /** A node that does not know its own address leaves the host empty: it is the node that was asked. */
    private RedisEndpoint at(RedisEndpoint login, String host, int port) {
        return login.at(host.isEmpty() ? endpoint.host() : host, port);
    }

    String redisVersion() {
        Matcher version = VERSION.matcher(info("server"));
        return version.find() ? version.group(1) : "unknown";
    }

    /** Returns how many commands the server has carried out, without those of this class. */
    long commandsCarriedOut() {
        return CALLS.matcher(info("commandstats"))
                .results()
                .filter(calls -> !OWN.matcher(calls.group(1)).matches())
                .collect(Collectors.summingLong(calls -> Long.parseLong(calls.group(2))));
    }

    /**
     * The memory that the keys of this server take with their values, in bytes. What the server uses in all says little
     * about keys: the buffers of connections come and go by megabytes.
     */
    long keyMemory() {
        Set<String> keys = keys("*", Optional.empty());
        try (AbstractPipeline pipeline = jedis.pipelined()) {
            List<Response<Long>> sizes = keys.stream()
                    .map(key -> pipeline.memoryUsage(key, EVERY_ELEMENT))
                    .toList();
            pipeline.sync();
            return sizes.stream()
                    .map(Response::get)
                    // A key may be gone by now.
                    .filter(Objects::nonNull)
                    .mapToLong(Long::longValue)
                    .sum();
        } catch (JedisException e) {
            throw failed(e);
        }
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
