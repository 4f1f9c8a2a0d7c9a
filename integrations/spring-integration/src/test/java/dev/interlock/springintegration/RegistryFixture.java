// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

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

/** A Redis server, and the factories made for it. */
final class RegistryFixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new CopyOnWriteArrayList<>();

    DistributedLockFactory factory() {
        DistributedLockFactory factory = connect(server.uri());
        factories.add(factory);
        return factory;
    }

    static DistributedLockFactory connect(String uri) {
        return DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder().endpoints(uri).commandTimeout(PATIENCE).build());
    }

    static String key(String name) {
        return "interlock:{" + name + "}";
    }

    /** Takes a lock from its holder, as a server does that loses its data. */
    void forget(String name) {
        server.command("DEL", key(name));
    }

    /** The same, if it is still held as it was when its {@link #word} was read. Returns whether it was. */
    boolean forget(String name, String word) {
        String script = "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0";
        return Long.valueOf(1).equals(server.command("EVAL", script, "1", key(name), word));
    }

    /** Returns the value of a lock's key, or an empty string. */
    String word(String name) {
        Object word = server.command("GET", key(name));
        return word == null ? "" : word.toString();
    }

    boolean isTaken(String name) {
        return !word(name).isEmpty();
    }

    /** The milliseconds until a lock expires. */
    long leftMillis(String name) {
        return (Long) server.command("PTTL", key(name));
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
