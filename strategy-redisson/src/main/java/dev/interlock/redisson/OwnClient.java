// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.BaseRedisNodes;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.config.Config;

/**
 * A client that is connected when it is first needed, on a thread of its own, because Redisson blocks for the servers then, and fails if
 * it is interrupted. None of its threads keeps the JVM alive.
 */
final class OwnClient implements ClientSource {
    private static final int LISTENER_THREADS = 2;
    private static final long IDLE_SECONDS = 30;
    private static final long SHUTDOWN_SECONDS = 1;

    private final Config config;
    private final Failures failures;
    private final Environment env;
    private final ExecutorService listeners;
    private final ReentrantLock mutex = new ReentrantLock();
    private final RedissonClient client;
    private @Nullable CompletableFuture<RedissonClient> connecting;
    private boolean closed;

    OwnClient(Config config, Failures failures, Environment env) {
        this.failures = failures;
        this.env = env;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                LISTENER_THREADS,
                LISTENER_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> env.newThread("interlock-redisson", task));
        pool.allowCoreThreadTimeOut(true);
        this.listeners = pool;
        this.config = new Config(config)
                .setLazyInitialization(true)
                .setExecutor(pool)
                .setNettyExecutor(
                        task -> env.newThread("interlock-redisson-netty", task).start());
        // Here, where it does not count against the time of a request, since Redisson has many classes to load.
        this.client = Redisson.create(this.config);
        DaemonTimer.makeDaemon(client);
    }

    @Override
    public Config config() {
        return config;
    }

    @Override
    public String map(String name) {
        return name;
    }

    @Override
    public RedissonClient get(Duration timeout) {
        CompletableFuture<RedissonClient> connected = connect();
        if (!Waiting.until(env, connected, timeout)) {
            throw failures.notConnectedWithin(timeout);
        }
        try {
            return connected.join();
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
            // The first request connects; a node that does not answer it is met again by those that follow.
            nodes().pingAll();
            begun.complete(client);
        } catch (Throwable e) {
            begun.completeExceptionally(e);
        }
    }

    private BaseRedisNodes nodes() {
        if (config.isClusterConfig()) {
            return client.getRedisNodes(RedisNodes.CLUSTER);
        }
        return config.isSentinelConfig()
                ? client.getRedisNodes(RedisNodes.SENTINEL_MASTER_SLAVE)
                : client.getRedisNodes(RedisNodes.SINGLE);
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
        mutex.lock();
        try {
            closed = true;
        } finally {
            mutex.unlock();
        }
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        listeners.shutdown();
    }
}
