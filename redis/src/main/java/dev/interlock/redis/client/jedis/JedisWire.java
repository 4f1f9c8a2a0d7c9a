// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.HelperThreads;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.Wire;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * A pool of Jedis connections: our own, or that of a client that was handed in.
 *
 * <p>Our pool makes connections that are not connected yet, so that each connects within the time that its first call has.
 */
public final class JedisWire implements Wire {
    private static final int MAX_CONNECTIONS = 64;

    private final Environment env;
    private final Failures failures;
    private final Optional<Own> own;
    private final Pool<Connection> pool;
    private final HelperThreads helpers;

    /** Connections that the server has not answered on since are not used any more. */
    private volatile long doubtedBefore;

    /** Where our own connections lead, and how long opening one may take if no call sets a bound. */
    private record Own(RedisEndpoint endpoint, Duration connectTimeout) {}

    private JedisWire(Environment env, Failures failures, Optional<Own> own, Pool<Connection> pool) {
        this.env = env;
        this.failures = failures;
        this.own = own;
        this.pool = pool;
        this.helpers = new HelperThreads(env, failures, MAX_CONNECTIONS);
        this.doubtedBefore = env.nanoTime();
    }

    public static JedisWire own(Environment env, Failures failures, RedisEndpoint endpoint, Duration connectTimeout) {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(MAX_CONNECTIONS);
        config.setMaxIdle(MAX_CONNECTIONS);
        config.setJmxEnabled(false);
        return new JedisWire(
                env,
                failures,
                Optional.of(new Own(endpoint, connectTimeout)),
                new Pool<>(config, new OwnConnections(endpoint)));
    }

    public static JedisWire of(Environment env, Failures failures, Pool<Connection> pool) {
        return new JedisWire(env, failures, Optional.empty(), pool);
    }

    @Override
    public <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline) {
        return helpers.run(call, deadline);
    }

    @Override
    public Line open(Use use, Deadline deadline) {
        while (true) {
            Connection connection = borrow(deadline);
            if (!(connection instanceof JedisConnection mine)) {
                return new JedisLine(this, connection, failures);
            }
            if (!mine.isConnected()) {
                logIn(mine, deadline);
            } else if (mine.lastUsed() - doubtedBefore < 0) {
                discard(mine);
                continue;
            }
            return new JedisLine(this, mine, failures);
        }
    }

    @Override
    public RedisLink openLink(Deadline deadline) {
        throw new UnsupportedOperationException("Jedis waits for each reply: use Lettuce to send without waiting");
    }

    private Connection borrow(Deadline deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return pool.borrowObject(Duration.ofNanos(Math.max(0, deadline.nanosLeft())));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (NoSuchElementException e) {
            throw failures.noneFree(deadline);
        } catch (JedisDataException e) {
            throw failures.answered(RedisCommand.of("the connection"), new ServerError(String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            throw failures.closed(e);
        } catch (Exception e) {
            throw failures.noConnection(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Connects and logs in; on failure the connection is gone. */
    private void logIn(JedisConnection connection, Deadline deadline) {
        try {
            dial(connection, deadline);
        } catch (LockBackendException e) {
            discard(connection);
            throw e;
        }
    }

    private void dial(JedisConnection connection, Deadline deadline) {
        RedisEndpoint endpoint = own.orElseThrow().endpoint();
        List<RedisCommand> commands = new ArrayList<>();
        if (endpoint.password().isPresent()) {
            commands.add(
                    endpoint.username().isPresent()
                            ? RedisCommand.of(
                                    "AUTH",
                                    endpoint.username().get(),
                                    endpoint.password().get())
                            : RedisCommand.of("AUTH", endpoint.password().get()));
        } else {
            // A server that is stuck, or will not talk to us, had better show it before it is sent something that
            // counts.
            commands.add(RedisCommand.of("PING"));
        }
        if (endpoint.database() != 0) {
            commands.add(RedisCommand.of("SELECT", Integer.toString(endpoint.database())));
        }
        try {
            connection.connect(deadline);
            JedisLine.send(connection, commands);
            for (RedisCommand command : commands) {
                connection.setSoTimeout(deadline.millisLeft());
                if (JedisLine.read(connection) instanceof ServerError error) {
                    throw failures.answered(command, error);
                }
            }
        } catch (JedisException e) {
            throw JedisLine.isTimeout(e) ? failures.noConnectionInTime(deadline) : failures.noConnection(e);
        }
    }

    /** Opens a connection that is not part of the pool, for listening. */
    public Connection openApart() {
        if (own.isPresent()) {
            return dialApart(own.get().endpoint(), new Deadline(env, own.get().connectTimeout()));
        }
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (JedisDataException e) {
            throw failures.answered(RedisCommand.of("the connection"), new ServerError(String.valueOf(e.getMessage())));
        } catch (Exception e) {
            throw failures.noConnection(e);
        }
    }

    /**
     * Opens a connection of our own that is not part of the pool, for a caller that writes and reads it by itself.
     *
     * @throws LockBackendException if there is none by the deadline
     */
    public JedisChannel openChannel(Deadline deadline) {
        JedisConnection connection = dialApart(own.orElseThrow().endpoint(), deadline);
        try {
            return new JedisChannel(connection.socket());
        } catch (IOException e) {
            connection.closeSocket();
            throw failures.noConnection(e);
        }
    }

    private JedisConnection dialApart(RedisEndpoint endpoint, Deadline deadline) {
        JedisConnection connection = new JedisConnection(endpoint);
        try {
            dial(connection, deadline);
            return connection;
        } catch (LockBackendException e) {
            connection.closeSocket();
            throw e;
        }
    }

    public void giveBack(Connection connection) {
        if (connection instanceof JedisConnection mine) {
            mine.setLastUsed(env.nanoTime());
        }
        pool.returnObject(connection);
    }

    public void discard(Connection connection) {
        try {
            pool.invalidateObject(connection);
        } catch (Exception e) {
            // What could not be closed politely is closed by now.
        }
    }

    public long nanoTime() {
        return env.nanoTime();
    }

    /** Notes that a request which was sent then has had no answer: what was idle by then may have met the same fate. */
    public void doubt(long sentNanos) {
        if (sentNanos - doubtedBefore > 0) {
            doubtedBefore = sentNanos;
        }
    }

    /**
     * Closes our connections that are not in use, which have probably met the same fate as one that broke. Those of a client that
     * was handed in serve others too.
     */
    public void discardIdle() {
        if (own.isPresent()) {
            pool.clear();
        }
    }

    @Override
    public void close() {
        helpers.close();
        if (own.isPresent()) {
            pool.close();
        }
    }

    private static final class OwnConnections extends BasePooledObjectFactory<Connection> {
        private final RedisEndpoint endpoint;

        OwnConnections(RedisEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public Connection create() {
            return new JedisConnection(endpoint);
        }

        @Override
        public PooledObject<Connection> wrap(Connection connection) {
            return new DefaultPooledObject<>(connection);
        }

        @Override
        public void destroyObject(PooledObject<Connection> pooled) {
            ((JedisConnection) pooled.getObject()).closeSocket();
        }
    }
}
