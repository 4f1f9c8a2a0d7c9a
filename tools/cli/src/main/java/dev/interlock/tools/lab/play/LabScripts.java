// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static dev.interlock.tools.lab.play.LabStage.HOLDER;
import static dev.interlock.tools.lab.play.LabStage.RIVAL;

import dev.interlock.testservers.FaultProxy;
import java.util.List;
import java.util.function.Consumer;

/** The scripts of the faults: the steps of the clients, and the moment at which the fault strikes. */
final class LabScripts {
    private static final int MINORITY = 2;
    private static final int MAJORITY = 3;

    /** The rate of slow clocks: a lease lasts two and a half times as long by them. */
    private static final double SLOW = 0.4;

    private LabScripts() {}

    /** The course of a cell. */
    interface Script {
        void play(LabStage stage);
    }

    private static void begin(LabStage stage) {
        stage.startServers();
        stage.startClients(stage.servers(), stage.servers());
    }

    private static void beginWithWaitingRival(LabStage stage) {
        begin(stage);
        stage.holderTakes();
        stage.rivalWaits();
    }

    static void killed(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.strike("the holder's process is killed", stage.holder()::kill);
        stage.finish(stage.rivalWritesWithin(stage.patience()));
    }

    static void stopped(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.strike("the holder's process stands still", stage.holder()::stop);
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.pause(stage.leases(0.5));
        stage.heal("the holder's process goes on", stage.holder()::goOn);
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void stoppedWriting(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.holder().look();
        stage.strike("the holder's process stands still", stage.holder()::stop);
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.pause(stage.leases(0.5));
        stage.holder().write(() -> stage.heal("the holder's process goes on", stage.holder()::goOn));
        stage.finish(taken);
    }

    static void cut(LabStage stage) {
        cutOff(stage, "the holder's lines are dead", FaultProxy::blackhole);
    }

    static void cutReplies(LabStage stage) {
        cutOff(stage, "the holder's lines are dead in one direction", FaultProxy::blackholeReplies);
    }

    private static void cutOff(LabStage stage, String what, Consumer<FaultProxy> fault) {
        beginWithWaitingRival(stage);
        stage.strike(what, () -> stage.lines(HOLDER, fault));
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.holder().lookAndWrite();
        stage.heal("the holder's lines work again", stage::mendLines);
        stage.finish(taken);
    }

    static void replyLost(LabStage stage) {
        begin(stage);
        stage.strike("the next reply to the holder will be lost", () -> stage.lines(HOLDER, FaultProxy::loseNextReply));
        stage.holder().contend();
        stage.rivalWaits();
        stage.finishWithWhoeverIsFirst();
    }

    static void redisStalled(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.strike("Redis stands still", () -> stage.each(LabServer::pause));
        boolean taken = stage.rivalWritesWithin(stage.leases(4));
        stage.heal("Redis goes on", () -> stage.each(LabServer::resume));
        takeUp(stage, taken);
    }

    /** Goes on after an outage, in which the holder may have lost the lock. */
    private static void takeUp(LabStage stage, boolean takenBefore) {
        boolean taken = takenBefore || stage.rivalWritesWithin(stage.leases(1.5));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void restartEmpty(LabStage stage) {
        begin(stage);
        stage.holderTakes();
        stage.dataIsLost("Redis restarts without data", () -> stage.each(LabServer::restartEmpty));
    }

    static void restartLater(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.strike("Redis is gone", () -> stage.each(LabServer::kill));
        stage.pause(stage.leases(1.2));
        stage.heal("Redis is back, without data", () -> stage.each(LabServer::restartEmpty));
        takeUp(stage, false);
    }

    static void failoverLossy(LabStage stage) {
        stage.startServers();
        stage.each(LabServer::addReplica);
        stage.startClients(stage.servers(), stage.servers());
        stage.each(LabServer::holdReplication);
        // So that no server is kept out for having started a moment ago.
        stage.pause(stage.leases(1));
        stage.holderTakes();
        stage.dataIsLost(
                "the primary dies, and its replica, which lacks the lock, is promoted",
                () -> stage.each(LabServer::failOver));
    }

    static void failoverWait(LabStage stage) {
        stage.startServers();
        stage.each(LabServer::addReplica);
        stage.startClients(stage.servers(), stage.servers());
        stage.holderTakes();
        stage.each(LabServer::awaitReplica);
        stage.rivalWaits();
        stage.strike(
                "the primary dies, and its replica, which has the lock, is promoted",
                () -> stage.each(LabServer::failOver));
        boolean taken = stage.rivalWritesWithin(stage.leases(2));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void flushAll(LabStage stage) {
        begin(stage);
        stage.holderTakes();
        stage.dataIsLost("FLUSHALL", () -> stage.each(LabServer::flush));
    }

    static void evicted(LabStage stage) {
        begin(stage);
        stage.holderTakes();
        stage.dataIsLost("Redis runs out of memory and evicts all keys", () -> stage.each(LabServer::evict));
    }

    static void pubsubCut(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.holder().lookAndWrite();
        stage.strike("connections that wait for messages are cut", () -> stage.each(LabServer::cutSubscriptions));
        stage.finish(false);
    }

    static void clientClock(LabStage stage) {
        stage.bendClocks();
        begin(stage);
        stage.rival().setClock(stage.leases(3), 1);
        stage.holderTakes();
        stage.rivalComes("a contender comes whose wall clock is three leases ahead");
    }

    static void minorityDead(LabStage stage) {
        withoutMinority(stage, "two servers die", LabServer::kill);
    }

    static void minorityHangs(LabStage stage) {
        withoutMinority(stage, "two servers stand still", LabServer::pause);
    }

    private static void withoutMinority(LabStage stage, String what, Consumer<LabServer> fault) {
        beginWithWaitingRival(stage);
        stage.strike(what, () -> stage.servers().subList(0, MINORITY).forEach(fault));
        boolean taken = stage.rivalWritesWithin(stage.leases(1.5));
        stage.holder().lookAndWrite();
        stage.finish(taken);
        stage.heal(
                "the two servers are there again",
                () -> stage.servers().subList(0, MINORITY).forEach(LabServer::restartEmpty));
    }

    static void majorityDead(LabStage stage) {
        beginWithWaitingRival(stage);
        List<LabServer> dead = stage.servers().subList(0, MAJORITY);
        stage.strike("three servers die", () -> dead.forEach(LabServer::kill));
        boolean taken = stage.rivalWritesWithin(stage.leases(4));
        stage.heal("they are there again, without data", () -> dead.forEach(LabServer::restartEmpty));
        takeUp(stage, taken);
    }

    static void nodeRestarted(LabStage stage) {
        begin(stage);
        List<LabServer> unreachable = stage.servers().subList(0, MINORITY);
        unreachable.forEach(server -> server.proxy(HOLDER).refuse());
        stage.holderTakes();
        stage.dataIsLost(
                "a server that knows of the holder restarts without data",
                () -> stage.servers().get(MINORITY).restartEmpty());
    }

    static void nodesTwice(LabStage stage) {
        begin(stage);
        List<LabServer> twice = stage.servers().subList(0, MINORITY);
        twice.forEach(server -> server.proxy(HOLDER).refuse());
        stage.holderTakes();
        String again = "rival-again";
        String list = String.join(
                ",",
                LabStage.uris(RIVAL, twice),
                LabStage.uris(again, twice),
                LabStage.uris(RIVAL, stage.servers().subList(MINORITY, MINORITY + 1)));
        stage.strike(
                "a contender comes whose list names two servers twice",
                () -> stage.rival().open(list));
        stage.rival().contend();
        boolean taken = stage.rivalWritesWithin(stage.leases(1));
        stage.holder().lookAndWrite();
        if (!taken) {
            stage.heal("the contender gives up", stage.rival()::kill);
        }
        stage.heal("the holder reaches all servers", stage::mendLines);
        stage.finish(taken);
    }

    static void nodesChanged(LabStage stage) {
        stage.startServers();
        stage.startClients(stage.servers().subList(0, MAJORITY), stage.servers());
        // The server that keeps the queue of this lock, as the rival sees it: its refusal may outvote the others.
        stage.servers().get(0).proxy(HOLDER).refuse();
        stage.holderTakes();
        stage.rivalComes("a contender comes whose list has two more servers");
    }

    static void optionsMixed(LabStage stage) {
        stage.mixOptions();
        beginWithWaitingRival(stage);
        stage.strike("the rival has other options", () -> {});
        stage.holder().lookAndWrite();
        stage.finish(false);
    }

    /** The holder asks for the lock, which is free, and the fault hits its first command for it. */
    private static void meetAcquisition(LabStage stage, FaultProxy.Trap trap) {
        begin(stage);
        Runnable met = stage.trapHolder(trap);
        stage.holder().contend();
        met.run();
    }

    static void killedAcquiring(LabStage stage) {
        meetAcquisition(stage, FaultProxy.Trap.HOLD_REPLY);
        stage.strike("the holder's process is killed", stage.holder()::kill);
        stage.rival().contend();
        stage.finish(stage.rivalWritesWithin(stage.patience()));
    }

    static void stoppedAcquiring(LabStage stage) {
        meetAcquisition(stage, FaultProxy.Trap.HOLD_REPLY);
        stage.strike("the holder's process stands still", stage.holder()::stop);
        stage.mendLines();
        stage.rival().contend();
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.heal("the holder's process goes on", stage.holder()::goOn);
        if (taken && stage.holder().isGranted(stage.leases(0.75))) {
            stage.holder().lookAndWrite();
        }
        if (taken) {
            stage.rival().release();
        }
        if (stage.holder().isGranted(stage.patience())) {
            stage.holder().lookAndWrite();
            stage.holder().release();
        }
    }

    static void renewalReplyLost(LabStage stage) {
        beginWithWaitingRival(stage);
        Runnable met = stage.trapHolder(FaultProxy.Trap.LOSE_REPLY);
        stage.strike("the reply to the next renewal will be lost", met);
        boolean taken = stage.rivalWritesWithin(stage.leases(1.5));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void killedRenewing(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.trapHolder(FaultProxy.Trap.HOLD_REPLY).run();
        stage.strike("the holder's process is killed", stage.holder()::kill);
        stage.finish(stage.rivalWritesWithin(stage.patience()));
    }

    static void stoppedRenewing(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.trapHolder(FaultProxy.Trap.HOLD_REPLY).run();
        stage.strike("the holder's process stands still", stage.holder()::stop);
        stage.mendLines();
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.pause(stage.leases(0.5));
        stage.heal("the holder's process goes on", stage.holder()::goOn);
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void releaseReplyLost(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.holder().lookAndWrite();
        stage.strike(
                "the reply to the next command about the lock will be lost",
                () -> stage.trapHolder(FaultProxy.Trap.LOSE_REPLY));
        stage.finish(false);
    }

    /** The holder gives the lock back, and waits for the reply to the first command of that. */
    private static void meetRelease(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.holder().lookAndWrite();
        Runnable met = stage.trapHolder(FaultProxy.Trap.HOLD_REPLY);
        stage.holder().beginRelease();
        met.run();
        stage.holder().awaitReleasing();
    }

    static void killedReleasing(LabStage stage) {
        meetRelease(stage);
        stage.strike("the holder's process is killed", stage.holder()::kill);
        stage.finish(stage.rivalWritesWithin(stage.patience()));
    }

    static void stoppedReleasing(LabStage stage) {
        meetRelease(stage);
        stage.strike("the holder's process stands still", stage.holder()::stop);
        stage.mendLines();
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        // If the first command has released the lock, the rival has it long before the holder's lease is over.
        stage.pauseSinceStrike(stage.leases(1.2));
        stage.heal("the holder's process goes on", stage.holder()::goOn);
        stage.holder().awaitRelease();
        stage.finishAfterRelease(taken);
    }

    static void releaseLate(LabStage stage) {
        beginWithWaitingRival(stage);
        stage.holder().lookAndWrite();
        Runnable met = stage.trapHolder(FaultProxy.Trap.HOLD_REQUEST);
        stage.holder().beginRelease();
        stage.strike("the release is held up", met);
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.heal("the release arrives", stage::mendLines);
        stage.holder().awaitRelease();
        stage.finishAfterRelease(taken);
    }

    static void switchedOver(LabStage stage) {
        stage.startServers();
        stage.each(LabServer::addReplica);
        stage.startClients(stage.servers(), stage.servers());
        stage.holderTakes();
        stage.each(LabServer::awaitReplica);
        stage.rivalWaits();
        stage.strike("Redis hands over to its replica", () -> stage.each(LabServer::switchOver));
        boolean taken = stage.rivalWritesWithin(stage.leases(2));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void splitBrain(LabStage stage) {
        stage.startServers();
        stage.each(LabServer::addReplica);
        stage.startClients(stage.servers(), stage.servers());
        // So that no server is kept out for having started a moment ago.
        stage.pause(stage.leases(1));
        stage.holderTakes();
        stage.each(LabServer::awaitReplica);
        stage.rivalWaits();
        stage.strike("the replica is promoted for the rival", () -> stage.each(server -> server.splitBrain(RIVAL)));
        boolean taken = stage.rivalWritesWithin(stage.leases(3));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void outOfMemory(LabStage stage) {
        refuses(stage, "Redis has no memory left", LabServer::runOutOfMemory, LabServer::haveMemory);
    }

    static void readOnly(LabStage stage) {
        refuses(stage, "Redis refuses writes", LabServer::refuseWrites, LabServer::acceptWrites);
    }

    private static void refuses(LabStage stage, String what, Consumer<LabServer> fault, Consumer<LabServer> cure) {
        beginWithWaitingRival(stage);
        stage.strike(what, () -> stage.each(fault));
        boolean taken = stage.rivalWritesWithin(stage.leases(1.2));
        stage.heal("Redis writes again", () -> stage.each(cure));
        takeUp(stage, taken);
    }

    static void loading(LabStage stage) {
        int keys = 20;
        stage.startServers(LabServer.slowToLoad(stage.leases(1.0 / keys)));
        stage.each(server -> server.addKeys(keys));
        stage.startClients(stage.servers(), stage.servers());
        stage.holderTakes();
        stage.rivalWaits();
        stage.strike("Redis restarts with its data", () -> stage.eachAtOnce(LabServer::restartWithData));
        takeUp(stage, false);
    }

    static void clientClockBack(LabStage stage) {
        stage.bendClocks();
        beginWithWaitingRival(stage);
        stage.strike("the holder's wall clock is set back", () -> stage.holder().setClock(stage.leases(-3), 1));
        boolean taken = stage.rivalWritesWithin(stage.leases(1.5));
        stage.holder().lookAndWrite();
        stage.finish(taken);
    }

    static void clientClockSlow(LabStage stage) {
        stage.bendClocks();
        begin(stage);
        stage.holder().setClock(stage.leases(0), SLOW);
        stage.holderTakes();
        stage.rivalWaits();
        stage.strike("the holder's lines are dead", () -> stage.lines(HOLDER, FaultProxy::blackhole));
        boolean taken = stage.rivalWritesWithin(stage.leases(1.6));
        stage.holder().lookAndWrite();
        stage.heal("the holder's lines work again", stage::mendLines);
        stage.finish(taken);
    }

    static void serverClock(LabStage stage) {
        begin(stage);
        // The holder reaches a majority alone, so that each server counts that knows of it.
        int minority = stage.servers().size() / 2;
        stage.servers()
                .subList(0, minority)
                .forEach(server -> server.proxy(HOLDER).refuse());
        stage.holderTakes();
        stage.dataIsLost(
                "the clock of a server that knows of the holder is stepped forward",
                () -> stage.servers().get(minority).stepClock(stage.leases(3)));
    }

    static void halfOpen(LabStage stage) {
        connectionsLost(stage, "all connections are lost on the servers' side alone", FaultProxy::halfOpen);
    }

    static void idleDropped(LabStage stage) {
        connectionsLost(stage, "all connections are lost silently", FaultProxy::dropSilently);
    }

    static void clientSideClosed(LabStage stage) {
        connectionsLost(stage, "all connections are lost on the clients' side alone", FaultProxy::closeClientSides);
    }

    private static void connectionsLost(LabStage stage, String what, Consumer<FaultProxy> fault) {
        beginWithWaitingRival(stage);
        stage.holder().lookAndWrite();
        stage.strike(what, () -> {
            stage.lines(HOLDER, fault);
            stage.lines(RIVAL, fault);
        });
        stage.finish(false);
    }
}
