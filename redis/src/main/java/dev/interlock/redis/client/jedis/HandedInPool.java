// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerError;
import java.time.Duration;
import java.util.NoSuchElementException;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.Pool;

/** The connection pool of a client that was handed in. The application uses it too, so it is not closed. */
final class HandedInPool implements ConnectionPool {
    private final Failures failures;
    private final Pool<Connection> pool;

    HandedInPool(Failures failures, Pool<Connection> pool) {
        this.failures = failures;
        this.pool = pool;
    }

    @Override
    public Connection borrow(Deadline deadline) {
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

    @Override
    public void giveBack(Connection connection) {
        pool.returnObject(connection);
    }

    @Override
    public void discard(Connection connection) {
        try {
            pool.invalidateObject(connection);
        } catch (Exception e) {
            // A connection that could not be closed in order is closed by now.
        }
    }

    @Override
    public void discardIdle() {
        // The client's own configuration decides whether idle connections are tested.
    }

    @Override
    public void close() {
        // The application closes the pool.
    }
}
