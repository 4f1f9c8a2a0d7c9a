// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.ToolException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of three primaries with a replica each. The lock's primary is the one that has its key.
 */
final class LabCluster implements LabGroup {
    private final ClusterServers cluster = ClusterServers.start(3, 1);
    private final LabLines lines = new LabLines(cluster.nodes());
    private @Nullable String key;

    @Override
    public String uri(String client) {
        return "redis-cluster://" + lines.addresses(client, cluster.nodes());
    }

    @Override
    public List<RedisServer> primaries() {
        return cluster.primaries();
    }

    /** The key of the lock, which must be held when this is first asked: each strategy has a name of its own for it. */
    private String key() {
        if (key == null) {
            key = cluster.primaries().stream()
                    .flatMap(server -> LabServer.keysOf(server).keySet().stream())
                    .filter(name -> name.contains(LabStage.LOCK))
                    .min(Comparator.comparingInt(String::length))
                    .orElseThrow(() -> new ToolException("no node of the cluster has a key of the lock"));
        }
        return key;
    }

    private int slot() {
        return cluster.slotOf(key());
    }

    private RedisServer primary() {
        return cluster.nodeOfSlot(slot());
    }

    @Override
    public void awaitReplicas() {
        RedisServer primary = primary();
        LabServer.awaitReplicas(primary, cluster.replicasOf(primary).size(), "{" + tag(key()) + "}lab-replicated");
    }

    /** The part of a key that decides its slot. */
    private static String tag(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    @Override
    public void killPrimary() {
        RedisServer primary = primary();
        awaitReplicas();
        cluster.kill(primary);
        cluster.awaitFailover(primary);
    }

    @Override
    public void switchOver() {
        cluster.failOver(primary());
    }

    @Override
    public void partition() {
        RedisServer primary = primary();
        lines.cutFromAllBut(primary, LabStage.HOLDER);
        cluster.isolate(primary);
        lines.line(LabStage.RIVAL, primary).refuse();
    }

    /**
     * Moves the slot of the lock to another primary, the lock's own key before all others.
     *
     * @param between run when the move has begun, when the first key has moved, and when all keys have
     */
    void moveSlot(Runnable between) {
        RedisServer source = primary();
        RedisServer target = cluster.primaries().stream()
                .filter(server -> server != source)
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(slot(), target);
        between.run();
        migration.moveKeys(List.of(key()));
        between.run();
        migration.moveKeys();
        between.run();
        migration.finish();
        cluster.awaitSettled();
    }

    /**
     * Moves the slots of the lock's primary to the other primaries, and removes it and its replica from the cluster.
     */
    void removePrimary() {
        List<RedisServer> before = cluster.nodes();
        cluster.removeNode(primary());
        // Their ports are free for the servers of other cells.
        before.stream().filter(server -> !cluster.nodes().contains(server)).forEach(lines::refuse);
    }

    @Override
    public void close() {
        Closing.all(List.of(lines, cluster));
    }
}
