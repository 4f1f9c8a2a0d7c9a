// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNodes;

/**
 * Connects a lazy client on a thread of its own: the caller's thread would block without a limit, and fail if it is
 * interrupted. Safe to use from any thread.
 */
final class Connector {
    private final RedissonClient client;
    private final RedissonFailures failures;
    private final Environment env;
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable CompletableFuture<RedissonClient> connecting;
    private boolean closed;

    /** The client once it is connected, until this is closed. */
    private volatile @Nullable RedissonClient connected;

    Connector(RedissonClient client, RedissonFailures failures, Environment env) {
        this.client = client;
        this.failures = failures;
        this.env = env;
    }

    /**
     * Returns the client, connected. An interrupt does not end the wait, and leaves the interrupt status set.
     *
     * @throws dev.interlock.LockBackendException if it cannot be connected within the time
     */
    RedissonClient get(Duration timeout) {
        RedissonClient present = connected;
        return present == null ? awaited(connect(), timeout) : present;
    }

    private RedissonClient awaited(CompletableFuture<RedissonClient> begun, Duration timeout) {
        if (!Futures.await(env, begun, timeout)) {
            throw failures.notConnectedWithin(timeout);
        }
        try {
            return begun.join();
        } catch (RuntimeException e) {
            throw failures.notConnected(e);
        }
    }

    private CompletableFuture<RedissonClient> connect() {
        mutex.lock();
        try {
            if (closed) {
                throw failures.closed();
            }
            if (connecting == null || connecting.isCompletedExceptionally()) {
                CompletableFuture<RedissonClient> begun = new CompletableFuture<>();
                env.newThread("interlock-redisson-connect", () -> connect(begun))
                        .start();
                connecting = begun;
            }
            return connecting;
        } finally {
            mutex.unlock();
        }
    }

    private void connect(CompletableFuture<RedissonClient> begun) {
        try {
            askForMasters();
            noteConnected();
            begun.complete(client);
        } catch (Throwable e) {
            begun.completeExceptionally(e);
        }
    }

    private void noteConnected() {
        mutex.lock();
        try {
            connected = closed ? null : client;
        } finally {
            mutex.unlock();
        }
    }

    /** Asks for the servers, which connects the client. */
    private void askForMasters() {
        if (client.getConfig().isClusterConfig()) {
            client.getRedisNodes(RedisNodes.CLUSTER).getMasters();
        } else if (client.getConfig().isSentinelConfig()) {
            client.getRedisNodes(RedisNodes.SENTINEL_MASTER_SLAVE).getMaster();
        } else {
            client.getRedisNodes(RedisNodes.SINGLE).getInstance();
        }
    }

    /** The client, if it is connected. */
    Optional<RedissonClient> ifConnected() {
        return Optional.ofNullable(connected);
    }

    /** Stops connecting. */
    void close() {
        mutex.lock();
        try {
            closed = true;
            connected = null;
        } finally {
            mutex.unlock();
        }
    }
}
