// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerException;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server that each client reaches by a proxy of its own, perhaps with a replica. Not safe for use by several threads at
 * once.
 */
final class LabServer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final String[] REPLICATES_AT_ONCE = {"--repl-diskless-sync-delay", "0"};

    private final Map<String, FaultProxy> proxies = new LinkedHashMap<>();
    private final RedisServer master = RedisServer.start(REPLICATES_AT_ONCE);
    private @Nullable FaultProxy replication;
    private @Nullable RedisServer replica;

    /** Whichever has the data now. */
    private RedisServer server = master;

    /** Starts a replica, and waits until it follows. */
    void addReplica() {
        FaultProxy line = FaultProxy.to(master);
        replication = line;
        RedisServer follower = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(line.port()));
        replica = follower;
        await(
                "a replica to follow",
                () -> String.valueOf(follower.command("INFO", "replication")).contains("master_link_status:up"));
    }

    private static void await(String what, BooleanSupplier condition) {
        long giveUp = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new ToolException("waited in vain for " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** The proxy by which a client reaches the server. */
    FaultProxy proxy(String client) {
        return proxies.computeIfAbsent(client, it -> FaultProxy.to(server));
    }

    /** Keeps what is written from now on from the replica. */
    void holdReplication() {
        if (replication != null) {
            replication.blackhole();
        }
    }

    /** Returns when the replica has what was written before. */
    void awaitReplica() {
        // Of this connection's writes, which come after those that matter.
        master.command("SET", "lab-replicated", "1");
        await("a replica to acknowledge", () -> Long.valueOf(1).equals(master.command("WAIT", "1", "100")));
        master.command("DEL", "lab-replicated");
    }

    /** Kills the master and lets the replica take over under the same address. */
    void failOver() {
        if (replica == null) {
            throw new IllegalStateException("there is no replica");
        }
        master.kill();
        replica.command("REPLICAOF", "NO", "ONE");
        server = replica;
        for (FaultProxy proxy : proxies.values()) {
            proxy.redirect("127.0.0.1", server.port());
            proxy.cutConnections();
        }
    }

    void pause() {
        server.pause();
    }

    void resume() {
        server.resume();
    }

    void kill() {
        server.kill();
    }

    /** Starts it again without data; it may be running. */
    void restartEmpty() {
        server.restart();
    }

    void flush() {
        server.command("FLUSHALL");
    }

    /** Makes the server evict all keys, as one does that has no memory left. */
    void evict() {
        server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        server.command("CONFIG", "SET", "maxmemory", "1");
        await("the server to evict", () -> {
            try {
                server.command("SET", "lab-evict", "1");
            } catch (RedisServerException e) {
                // It is out of memory, as it should be.
            }
            return Long.valueOf(0).equals(server.command("DBSIZE"));
        });
        server.command("CONFIG", "SET", "maxmemory", "0");
    }

    void cutSubscriptions() {
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
    }

    /** The names of all keys, with how long they have to live in milliseconds; minus one if for ever. */
    Map<String, Long> keys() {
        Map<String, Long> keys = new LinkedHashMap<>();
        if (server.command("KEYS", "*") instanceof List<?> names) {
            for (Object name : names) {
                keys.put(String.valueOf(name), (Long) server.command("PTTL", String.valueOf(name)));
            }
        }
        return keys;
    }

    @Override
    public void close() {
        List<AutoCloseable> parts = new ArrayList<>(proxies.values());
        if (replication != null) {
            parts.add(replication);
        }
        if (replica != null) {
            parts.add(replica);
        }
        parts.add(master);
        Closing.all(parts);
    }
}
