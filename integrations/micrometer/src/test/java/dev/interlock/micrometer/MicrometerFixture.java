// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A Redis server, and the factories made for it. */
final class MicrometerFixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new CopyOnWriteArrayList<>();

    DistributedLockFactory factory() {
        return factory(config -> config);
    }

    DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        LockConfig.Builder config = LockConfig.builder().endpoints(server.uri()).commandTimeout(PATIENCE);
        DistributedLockFactory factory =
                DistributedLocks.getInstance("set-nx-px", tweak.apply(config).build());
        factories.add(factory);
        return factory;
    }

    /** Takes a lock from its holder, as a server does that loses its data. */
    void forget(String name) {
        server.command("DEL", "interlock:{" + name + "}");
    }

    /** Does something on another thread, and waits until it is done. */
    static <T> T elsewhere(Callable<T> task) throws Exception {
        return start(task).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "actor");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    @Override
    public void close() {
        factories.forEach(DistributedLockFactory::close);
        server.close();
    }
}
