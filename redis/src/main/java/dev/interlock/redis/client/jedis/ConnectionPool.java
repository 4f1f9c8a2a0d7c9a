// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerError;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.Pool;

/** Connections that threads borrow: our own, or those of a client that was handed in. */
final class ConnectionPool {
    private final Failures failures;
    private final Pool<Connection> pool;
    private final boolean own;

    private ConnectionPool(Failures failures, Pool<Connection> pool, boolean own) {
        this.failures = failures;
        this.pool = pool;
        this.own = own;
    }

    /** Makes a pool of connections that are not connected yet, so that each connects within the time that its first call has. */
    static ConnectionPool own(Failures failures, JedisDialer dialer, int size) {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(size);
        config.setMaxIdle(size);
        config.setJmxEnabled(false);
        // Threads that came first must not time out because of those that came later.
        config.setFairness(true);
        return new ConnectionPool(failures, new Pool<>(config, new Unconnected(dialer)), true);
    }

    /** Uses the pool of a client, which is not closed. */
    static ConnectionPool of(Failures failures, Pool<Connection> pool) {
        return new ConnectionPool(failures, pool, false);
    }

    Connection borrow(Deadline deadline) {
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

    /** Opens a connection of the same kind that is not part of the pool. */
    Connection openApart() {
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (JedisDataException e) {
            throw failures.answered(RedisCommand.of("the connection"), new ServerError(String.valueOf(e.getMessage())));
        } catch (Exception e) {
            throw failures.noConnection(e);
        }
    }

    void giveBack(Connection connection) {
        pool.returnObject(connection);
    }

    void discard(Connection connection) {
        try {
            pool.invalidateObject(connection);
        } catch (Exception e) {
            // What could not be closed politely is closed by now.
        }
    }

    /** Closes our connections that are not in use. Those of a client that was handed in serve others too. */
    void discardIdle() {
        if (own) {
            pool.clear();
        }
    }

    void close() {
        if (own) {
            pool.close();
        }
    }

    private static final class Unconnected extends BasePooledObjectFactory<Connection> {
        private final JedisDialer dialer;

        Unconnected(JedisDialer dialer) {
            this.dialer = dialer;
        }

        @Override
        public Connection create() {
            return dialer.create();
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
