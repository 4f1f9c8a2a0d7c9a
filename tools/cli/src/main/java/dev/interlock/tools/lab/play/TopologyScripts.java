// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** The scripts of faults behind sentinels and in a cluster. */
final class TopologyScripts {
    /** The time, in leases, for which a lock may outlive misdirected renewals. */
    private static final double UNTIL_RUN_OUT = 2;

    /** The same time if clients must first find out which server is the primary. */
    private static final double UNTIL_FOUND = 3;

    /** A time in leases that is longer than from one renewal to the next. */
    private static final double RENEWED = 0.4;

    private TopologyScripts() {}

    static void sentinelFailover(LabStage stage) {
        play(
                stage,
                LabSentinels::new,
                "the primary dies, and a replica is promoted",
                LabGroup::killPrimary,
                UNTIL_RUN_OUT);
    }

    static void sentinelSwitchOver(LabStage stage) {
        play(stage, LabSentinels::new, "the sentinels hand over to a replica", LabGroup::switchOver, UNTIL_RUN_OUT);
    }

    static void sentinelPartition(LabStage stage) {
        play(
                stage,
                LabSentinels::new,
                "the primary is cut off together with the holder, and a replica is promoted",
                LabGroup::partition,
                UNTIL_FOUND);
    }

    static void clusterFailover(LabStage stage) {
        play(
                stage,
                LabCluster::new,
                "the primary dies, and its replica is promoted",
                LabGroup::killPrimary,
                UNTIL_RUN_OUT);
    }

    static void clusterSwitchOver(LabStage stage) {
        playWithoutLoss(stage, LabCluster::new, "the primary hands over to its replica", LabGroup::switchOver);
    }

    static void clusterPartition(LabStage stage) {
        play(
                stage,
                LabCluster::new,
                "the primary is cut off together with the holder, and its replica is promoted",
                LabGroup::partition,
                UNTIL_FOUND);
    }

    static void slotMoved(LabStage stage) {
        playWithoutLoss(
                stage,
                LabCluster::new,
                "the slot of the lock moves",
                cluster -> cluster.moveSlot(() -> stage.pause(stage.leases(RENEWED))));
    }

    static void nodeRemoved(LabStage stage) {
        playWithoutLoss(stage, LabCluster::new, "the primary leaves the cluster", LabCluster::removePrimary);
    }

    /** Plays a fault while the lock is held, has reached the replicas, and is waited for. */
    private static <T extends LabGroup> void play(
            LabStage stage, Supplier<T> start, String what, Consumer<T> fault, double limit) {
        strike(stage, start, what, fault);
        boolean taken = stage.rivalWritesWithin(stage.leases(limit));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    /** Plays a fault as {@link #play} does, if the holder must not lose the lock because of it. */
    private static <T extends LabGroup> void playWithoutLoss(
            LabStage stage, Supplier<T> start, String what, Consumer<T> fault) {
        strike(stage, start, what, servers -> {
            stage.watchMachine();
            fault.accept(servers);
        });
        boolean taken = stage.rivalWritesWithin(stage.leases(UNTIL_RUN_OUT));
        stage.noteWhetherHeld();
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    private static <T extends LabGroup> void strike(LabStage stage, Supplier<T> start, String what, Consumer<T> fault) {
        T servers = stage.startClients(start);
        stage.holderTakes();
        servers.awaitReplicas();
        stage.rivalWaits();
        stage.strike(what, () -> fault.accept(servers));
    }
}
