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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server that each client reaches by a proxy of its own, perhaps with a replica. Not safe for use by several
 * threads at once.
 */
final class LabServer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final String IMAGE = "1";
    private static final String[] REPLICATES_AT_ONCE = {"--repl-diskless-sync-delay", "0"};

    private final Map<String, FaultProxy> proxies = new LinkedHashMap<>();
    private final RedisServer primary;
    private @Nullable FaultProxy replication;
    private @Nullable RedisServer replica;
    private @Nullable RedisServer successor;

    /** The server that has the data now. */
    private RedisServer server;

    /** Starts a server with more arguments than the usual ones. */
    LabServer(String... arguments) {
        List<String> all = new ArrayList<>(List.of(REPLICATES_AT_ONCE));
        all.addAll(List.of(arguments));
        primary = RedisServer.start(all.toArray(String[]::new));
        server = primary;
    }

    /** Starts a replica, and waits until it follows. */
    void addReplica() {
        FaultProxy line = FaultProxy.to(primary);
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

    /** Holds back the replication of later writes. */
    void holdReplication() {
        if (replication != null) {
            replication.blackhole();
        }
    }

    /** Returns when the replica has all earlier writes. */
    void awaitReplica() {
        awaitReplicas(primary, 1, "lab-replicated");
    }

    /**
     * Returns when the replicas of a primary have all earlier writes.
     *
     * @param key a key of no other use, for which the primary is responsible
     */
    static void awaitReplicas(RedisServer primary, int replicas, String key) {
        // WAIT covers the writes of this connection only, so it needs one that comes after the others.
        primary.command("SET", key, "1");
        await(
                "the replicas to acknowledge",
                () -> Long.valueOf(replicas).equals(primary.command("WAIT", Integer.toString(replicas), "100")));
        primary.command("DEL", key);
    }

    /** Kills the primary and lets the replica take over under the same address. */
    void failOver() {
        RedisServer follower = replica();
        primary.kill();
        follower.command("REPLICAOF", "NO", "ONE");
        lead(follower);
        proxies.values().forEach(FaultProxy::cutConnections);
    }

    /**
     * Hands over to the replica in good order. Clients' commands go there from now on; their subscriptions stay where
     * they are.
     */
    void switchOver() {
        RedisServer follower = replica();
        // Not through a proxy, since the former primary will follow the new one directly too.
        follower.command("REPLICAOF", "127.0.0.1", Integer.toString(primary.port()));
        await(
                "the replica to follow directly",
                () -> String.valueOf(follower.command("INFO", "replication")).contains("master_link_status:up"));
        primary.command("FAILOVER");
        await(
                "the replica to take over",
                () -> String.valueOf(follower.command("INFO", "replication")).contains("role:master"));
        lead(follower);
        primary.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }

    /**
     * Promotes the replica for one client alone; the others go on with the former primary, which has noticed nothing.
     */
    void splitBrain(String client) {
        RedisServer follower = replica();
        follower.command("REPLICAOF", "NO", "ONE");
        proxy(client).redirect("127.0.0.1", follower.port());
        proxy(client).cutConnections();
        server = follower;
    }

    private RedisServer replica() {
        if (replica == null) {
            throw new IllegalStateException("there is no replica");
        }
        return replica;
    }

    private void lead(RedisServer next) {
        server = next;
        proxies.values().forEach(proxy -> proxy.redirect("127.0.0.1", next.port()));
    }

    /** Sets the server's memory limit so low that it takes nothing new. */
    void runOutOfMemory() {
        server.command("CONFIG", "SET", "maxmemory", "1");
    }

    void haveMemory() {
        server.command("CONFIG", "SET", "maxmemory", "0");
    }

    /** Makes the server refuse writes, as a replica does. */
    void refuseWrites() {
        server.command("REPLICAOF", "127.0.0.1", "1");
    }

    void acceptWrites() {
        server.command("REPLICAOF", "NO", "ONE");
    }

    /** The arguments of a server that takes a time to load each key. */
    static String[] slowToLoad(Duration perKey) {
        return new String[] {
            "--key-load-delay",
            Long.toString(perKey.toNanos() / 1000),
            "--loading-process-events-interval-bytes",
            "1024"
        };
    }

    /** Adds keys, to make loading take longer. */
    void addKeys(int number) {
        for (int i = 0; i < number; i++) {
            server.command("SET", "lab-filler-" + i, "x".repeat(2048).replaceFirst("x", Integer.toString(i)));
        }
    }

    /** Restarts the server with its data, and returns when that is loaded. */
    void restartWithData() {
        server.restartWithData();
    }

    /** Directs new connections to a new process. Existing ones stay with the old process. */
    void move() {
        RedisServer next = RedisServer.start();
        successor = next;
        lead(next);
    }

    /** Starts an empty process that may take the server's place when it has run for long. */
    void startStandby() {
        successor = RedisServer.start();
    }

    /** Kills the server, and lets the empty process take over under the same address. */
    void replaceByStandby() {
        if (successor == null) {
            throw new IllegalStateException("there is no standby");
        }
        server.kill();
        lead(successor);
        proxies.values().forEach(FaultProxy::cutConnections);
    }

    /** Saves the present data of the server. */
    void takeImage() {
        keys().keySet().forEach(key -> server.command("COPY", key, key, "DB", IMAGE));
    }

    /** Sets the running server back to the data that was saved. */
    void rollBack() {
        server.command("SWAPDB", "0", IMAGE);
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

    /** Makes the server evict all keys, as a server without free memory does. */
    void evict() {
        server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        server.command("CONFIG", "SET", "maxmemory", "1");
        await("the server to evict", () -> {
            try {
                server.command("SET", "lab-evict", "1");
            } catch (RedisServerException e) {
                // The server reports that it is out of memory, as intended.
            }
            return Long.valueOf(0).equals(server.command("DBSIZE"));
        });
        server.command("CONFIG", "SET", "maxmemory", "0");
    }

    /** Deletes single keys, as a server does that evicts some of them. */
    void loseKeysBut(Set<String> kept) {
        keys().keySet().stream().filter(key -> !kept.contains(key)).forEach(key -> server.command("DEL", key));
    }

    void stepClock(Duration step) {
        server.stepClock(step);
    }

    void cutSubscriptions() {
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
    }

    /** Returns the names of all keys, with their times to live in milliseconds; -1 for a key without one. */
    Map<String, Long> keys() {
        return keysOf(server);
    }

    /** As {@link #keys()}, for any server. */
    static Map<String, Long> keysOf(RedisServer server) {
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
        if (successor != null) {
            parts.add(successor);
        }
        parts.add(primary);
        Closing.all(parts);
    }
}
