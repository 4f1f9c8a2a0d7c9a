// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static dev.interlock.tools.lab.play.LabStage.HOLDER;
import static dev.interlock.tools.lab.play.LabStage.RIVAL;

import java.time.Duration;
import java.util.Set;

/** The scripts of faults of single nodes that get around the guard against nodes which have forgotten leases. */
final class NodeScripts {
    /** The number of the five servers that the holder cannot reach. */
    private static final int UNREACHABLE = 2;

    private NodeScripts() {}

    /** The holder takes the lock on three of five servers; the first of these is returned. */
    private static LabServer holderTakesMajority(LabStage stage) {
        stage.servers()
                .subList(0, UNREACHABLE)
                .forEach(server -> server.proxy(HOLDER).refuse());
        stage.holderTakes();
        return stage.servers().get(UNREACHABLE);
    }

    /** The standby's uptime is long, as is that of a server whose clock was stepped forward after it had started. */
    static void nodeReplaced(LabStage stage) {
        stage.startServers();
        stage.servers().get(UNREACHABLE).startStandby();
        stage.startClients(stage.servers(), stage.servers());
        LabServer replaced = holderTakesMajority(stage);
        stage.dataIsLost(
                "a server that knows of the holder is replaced by an empty one that has run for longer",
                replaced::replaceByStandby);
    }

    static void nodeMoved(LabStage stage) {
        begin(stage);
        LabServer moved = holderTakesMajority(stage);
        stage.strike("an endpoint leads to a new process, while the old one lives", moved::move);
        rivalComes(stage, stage.leases(3));
    }

    static void nodeRolledBack(LabStage stage) {
        begin(stage);
        stage.servers().get(UNREACHABLE).takeImage();
        LabServer rolledBack = holderTakesMajority(stage);
        stage.dataIsLost("the image of a server that knows of the holder is rolled back", rolledBack::rollBack);
    }

    /** The server keeps what clients noted about it before. */
    static void nodeKeyLost(LabStage stage) {
        begin(stage);
        LabServer losing = stage.servers().get(UNREACHABLE);
        Set<String> kept = losing.keys().keySet();
        holderTakesMajority(stage);
        stage.dataIsLost(
                "a server that knows of the holder loses the keys of the lock", () -> losing.loseKeysBut(kept));
    }

    static void guardsMixed(LabStage stage) {
        stage.letRivalTrust();
        stage.startServers();
        stage.startRivalFirst();
        LabServer restarted = holderTakesMajority(stage);
        stage.strike("a server that knows of the holder restarts without data", restarted::restartEmpty);
        rivalComes(stage, stage.leases(0.6));
    }

    /** The rival's leases are so short that the holder's outlives them by far. */
    static void leasesMixed(LabStage stage) {
        stage.shortenLeasesOfRival();
        stage.startServers();
        stage.startRivalFirst();
        LabServer restarted = holderTakesMajority(stage);
        stage.dataIsLost("a server that knows of the holder restarts without data", restarted::restartEmpty);
    }

    private static void begin(LabStage stage) {
        stage.startServers();
        stage.startClients(stage.servers(), stage.servers());
    }

    /** A new rival asks for the lock; if it does not get the lock in time, it gives up. */
    private static void rivalComes(LabStage stage, Duration limit) {
        stage.rival().open(LabStage.uris(RIVAL, stage.servers()));
        stage.rival().contend();
        boolean taken = stage.rivalWritesWithin(limit);
        stage.holder().lookAndWrite();
        if (!taken) {
            stage.heal("the contender gives up", stage.rival()::kill);
        }
        stage.heal("the holder reaches all servers", stage::mendLines);
        stage.finish(taken);
    }
}
