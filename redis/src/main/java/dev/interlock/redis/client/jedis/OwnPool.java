// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Connection;

/**
 * Connections of our own, lent in order of arrival, so that no thread times out because of later ones.
 *
 * <p>A connection is made when all others are in use, and is not connected yet, so that it connects within the time
 * that its first call has. Safe to use from any thread.
 */
final class OwnPool implements ConnectionPool {
    /** More threads than any program has. */
    private static final int ALL_THREADS = 1 << 24;

    private final Failures failures;
    private final JedisDialer dialer;
    private final Semaphore turns;
    private final Deque<JedisConnection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    OwnPool(Failures failures, JedisDialer dialer, int size) {
        this.failures = failures;
        this.dialer = dialer;
        this.turns = new Semaphore(size, true);
    }

    @Override
    public Connection borrow(Deadline deadline) {
        if (!awaitTurn(deadline)) {
            throw failures.noneFree(deadline);
        }
        if (closed) {
            turns.release();
            throw failures.closed(null);
        }
        // The connection that was used last is the least likely to have ended.
        JedisConnection connection = idle.pollFirst();
        return connection == null ? dialer.create() : connection;
    }

    private boolean awaitTurn(Deadline deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return turns.tryAcquire(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void giveBack(Connection connection) {
        JedisConnection mine = (JedisConnection) connection;
        if (mine.isBroken()) {
            mine.closeSocket();
        } else {
            idle.addFirst(mine);
        }
        turns.release();
        if (closed) {
            discardIdle();
        }
    }

    @Override
    public void discard(Connection connection) {
        ((JedisConnection) connection).closeSocket();
        turns.release();
    }

    @Override
    public void discardIdle() {
        for (JedisConnection each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            each.closeSocket();
        }
    }

    @Override
    public void close() {
        closed = true;
        turns.release(ALL_THREADS);
        discardIdle();
    }
}
