// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A client that is connected when it is first needed, on a thread of its own: {@link Redisson#create} blocks for the servers, and fails
 * if it is interrupted.
 */
final class OwnClient implements ClientSource {
    private static final long SHUTDOWN_SECONDS = 1;

    private final Config config;
    private final Failures failures;
    private final Environment env;
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable CompletableFuture<RedissonClient> connecting;
    private boolean closed;

    OwnClient(Config config, Failures failures, Environment env) {
        this.config = config;
        this.failures = failures;
        this.env = env;
    }

    @Override
    public Config config() {
        return config;
    }

    @Override
    public RedissonClient get(Duration timeout) {
        CompletableFuture<RedissonClient> client = connect();
        if (!Waiting.until(env, client, timeout)) {
            throw failures.notConnectedWithin(timeout);
        }
        try {
            return client.join();
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
        RedissonClient client;
        try {
            client = Redisson.create(config);
        } catch (Throwable e) {
            begun.completeExceptionally(e);
            return;
        }
        mutex.lock();
        try {
            if (!closed) {
                begun.complete(client);
                return;
            }
        } finally {
            mutex.unlock();
        }
        begun.completeExceptionally(failures.closed());
        shutDown(client);
    }

    @Override
    public Optional<RedissonClient> ifConnected() {
        mutex.lock();
        try {
            return connecting == null || !connecting.isDone() || connecting.isCompletedExceptionally()
                    ? Optional.empty()
                    : Optional.of(connecting.join());
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        Optional<RedissonClient> client;
        mutex.lock();
        try {
            closed = true;
            client = ifConnected();
        } finally {
            mutex.unlock();
        }
        client.ifPresent(OwnClient::shutDown);
    }

    private static void shutDown(RedissonClient client) {
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
}
