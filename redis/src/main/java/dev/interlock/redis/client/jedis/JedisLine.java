// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.Wire;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The line of a call over a Jedis connection. */
final class JedisLine implements Wire.Line {
    private final JedisWire wire;
    private final ConnectionPool pool;
    private final Connection connection;
    private final Failures failures;
    private final int usualTimeout;
    private final long openedNanos;

    JedisLine(JedisWire wire, ConnectionPool pool, Connection connection, Failures failures) {
        this.wire = wire;
        this.pool = pool;
        this.connection = connection;
        this.failures = failures;
        this.usualTimeout = connection.getSoTimeout();
        this.openedNanos = wire.nanoTime();
    }

    @Override
    public List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
            throws NotSentException {
        try {
            send(connection, commands);
        } catch (JedisException e) {
            retire();
            throw new NotSentException(e);
        }
        List<@Nullable Object> replies = new ArrayList<>(commands.size());
        for (RedisCommand command : commands) {
            try {
                connection.setSoTimeout(deadline.millisLeft());
                replies.add(read(connection));
            } catch (RuntimeException e) {
                throw noReply(command, undo, deadline, e);
            }
        }
        return replies;
    }

    private LockBackendException noReply(
            RedisCommand command, List<RedisCommand> undo, Deadline deadline, RuntimeException failure) {
        if (!isTimeout(failure)) {
            retire();
            return failures.broken(command, failure);
        }
        if (!undo.isEmpty() && connection instanceof JedisConnection own) {
            own.sendNevertheless(undo);
        }
        pool.discard(connection);
        wire.doubt(openedNanos);
        return failures.late(command, deadline);
    }

    static boolean isTimeout(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long silentNanos() {
        return connection instanceof JedisConnection own ? own.silentNanos(openedNanos) : 0;
    }

    @Override
    public void release() {
        try {
            connection.setSoTimeout(usualTimeout);
            if (connection instanceof JedisConnection own) {
                own.setLastUsed(wire.nanoTime());
            }
            pool.giveBack(connection);
        } catch (JedisException e) {
            pool.discard(connection);
        }
    }

    @Override
    public void retire() {
        pool.discard(connection);
        wire.discardIdle();
    }

    static void send(Connection connection, List<RedisCommand> commands) {
        for (RedisCommand command : commands) {
            connection.sendCommand(arguments(command));
        }
        // Reads nothing, but flushes, for which Jedis has no public method.
        connection.getMany(0);
    }

    static CommandArguments arguments(RedisCommand command) {
        byte[] name = command.name().getBytes(StandardCharsets.UTF_8);
        ProtocolCommand keyword = () -> name;
        return new CommandArguments(keyword).addObjects(command.arguments());
    }

    /** Reads the next reply. */
    static @Nullable Object read(Connection connection) {
        try {
            return decode(connection.getUnflushedObject());
        } catch (JedisDataException e) {
            return new ServerError(String.valueOf(e.getMessage()));
        }
    }

    static @Nullable Object decode(@Nullable Object raw) {
        if (raw instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (raw instanceof List<?> list) {
            return decode(list);
        }
        if (raw instanceof Boolean truth) {
            return truth ? 1L : 0L;
        }
        return raw == null || raw instanceof Long ? raw : raw.toString();
    }

    /** An error anywhere in a list is the error of the whole, as it is with Lettuce. */
    private static Object decode(List<?> raw) {
        List<@Nullable Object> decoded = new ArrayList<>(raw.size());
        for (Object each : raw) {
            if (each instanceof JedisDataException e) {
                return new ServerError(String.valueOf(e.getMessage()));
            }
            if (each instanceof Map.Entry<?, ?> entry) {
                decoded.add(decode(entry.getKey()));
                decoded.add(decode(entry.getValue()));
                continue;
            }
            Object element = decode(each);
            if (element instanceof ServerError) {
                return element;
            }
            decoded.add(element);
        }
        return decoded;
    }
}
