// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A client of our own that connects when it is first needed. All its threads are daemons. */
final class OwnClient implements ClientSource {
    private static final int LISTENER_THREADS = 2;
    private static final long IDLE_SECONDS = 30;
    private static final long SHUTDOWN_SECONDS = 1;

    private final RedissonClient client;
    private final Connector connector;
    private final ExecutorService listeners;

    OwnClient(Config config, RedissonFailures failures, Environment env) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                LISTENER_THREADS,
                LISTENER_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> env.newThread("interlock-redisson", task));
        pool.allowCoreThreadTimeOut(true);
        this.listeners = pool;
        // Loads Redisson's many classes here, where that does not count against the time-out of a request.
        this.client = Redisson.create(new Config(config)
                .setLazyInitialization(true)
                .setExecutor(pool)
                .setNettyExecutor(
                        task -> env.newThread("interlock-redisson-netty", task).start()));
        DaemonTimer.makeDaemon(client);
        this.connector = new Connector(client, failures, env);
    }

    @Override
    public Config config() {
        return client.getConfig();
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public String map(String name) {
        return name;
    }

    @Override
    public RedissonClient get(Duration timeout) {
        return connector.get(timeout);
    }

    @Override
    public Optional<RedissonClient> ifConnected() {
        return connector.ifConnected();
    }

    @Override
    public void close() {
        connector.close();
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        listeners.shutdown();
    }
}
