// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static dev.interlock.tools.lab.play.LabFault.Excuse.LISTS_DIFFER;
import static dev.interlock.tools.lab.play.LabFault.Excuse.NOTHING;
import static dev.interlock.tools.lab.play.LabFault.Excuse.OUTAGE;
import static dev.interlock.tools.lab.play.LabFault.Excuse.STANDSTILL;
import static dev.interlock.tools.lab.play.LabFault.Excuse.broken;
import static dev.interlock.tools.lab.play.LabFault.Excuse.brokenForLong;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.testservers.ServerClock;
import dev.interlock.tools.backends.Topology;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fault that the fault lab plays, and the assumption that it breaks. If a fault breaks an assumption, a strategy that
 * declares the assumption may let two holders in at once, and no other strategy may. No other place lists the
 * assumptions that faults break.
 */
public enum LabFault {
    KILLED("the holder's process is killed", NOTHING, LabScripts::killed),
    STOPPED(
            "the holder's process stands still past its lease, then goes on and looks at it before it writes",
            STANDSTILL,
            LabScripts::stopped),
    STOPPED_WRITING(
            "the holder's process stands still past its lease, between its look and its write",
            STANDSTILL,
            LabScripts::stoppedWriting),
    CUT("the holder is cut from Redis in both directions", NOTHING, LabScripts::cut),
    CUT_REPLIES(
            "the holder is cut from Redis in one direction: requests arrive, replies do not",
            NOTHING,
            LabScripts::cutReplies),
    REPLY_LOST("the reply to the acquisition is lost together with the connection", NOTHING, LabScripts::replyLost),
    REDIS_STALLED("Redis stands still for four leases", OUTAGE, LabScripts::redisStalled),
    RESTART_EMPTY(
            "Redis restarts without data, at once", broken(Assumption.RESTART_KEEPS_DATA), LabScripts::restartEmpty),
    RESTART_LATER("Redis restarts without data, one lease later", NOTHING, LabScripts::restartLater),
    FAILOVER_LOSSY(
            "the primary dies before it has replicated the lock, and its replica is promoted",
            broken(Assumption.NO_FAILOVER),
            LabScripts::failoverLossy),
    FAILOVER_WAIT(
            "the primary dies after WAIT has confirmed the lock on its replica, which is promoted",
            NOTHING,
            LabScripts::failoverWait),
    FLUSHALL("somebody sends FLUSHALL", broken(Assumption.NO_EVICTION), LabScripts::flushAll),
    EVICTED("the lock's key is evicted at maxmemory", broken(Assumption.NO_EVICTION), LabScripts::evicted),
    PUBSUB_CUT("connections that wait for messages are cut right before the release", NOTHING, LabScripts::pubsubCut),
    CLIENT_CLOCK(
            "a contender's wall clock is three leases ahead",
            broken(Assumption.CLIENT_CLOCKS_AGREE),
            LabScripts::clientClock),
    OPTIONS_MIXED(
            "in a rolling deploy a contender has other options than the holder", NOTHING, LabScripts::optionsMixed),
    KILLED_ACQUIRING(
            "the holder's process is killed when its first command for the lock was carried out, before the reply arrives",
            NOTHING,
            LabScripts::killedAcquiring),
    STOPPED_ACQUIRING(
            "the holder's process stands still past its lease, between its first command for the lock and the reply",
            NOTHING,
            LabScripts::stoppedAcquiring),
    RENEWAL_REPLY_LOST(
            "the reply to a renewal is lost together with the connection", NOTHING, LabScripts::renewalReplyLost),
    KILLED_RENEWING(
            "the holder's process is killed when a renewal was carried out, before the reply arrives",
            NOTHING,
            LabScripts::killedRenewing),
    STOPPED_RENEWING(
            "the holder's process stands still past its lease, between a renewal and its reply",
            STANDSTILL,
            LabScripts::stoppedRenewing),
    RELEASE_REPLY_LOST(
            "the reply to the release is lost together with the connection", NOTHING, LabScripts::releaseReplyLost),
    KILLED_RELEASING(
            "the holder's process is killed when the first command of its release was carried out, before the reply arrives",
            NOTHING,
            LabScripts::killedReleasing),
    STOPPED_RELEASING(
            "the holder's process stands still past its lease, between the first command of its release and the reply",
            NOTHING,
            LabScripts::stoppedReleasing),
    RELEASE_LATE(
            "the release is held up in the network until the next holder has the lock",
            NOTHING,
            LabScripts::releaseLate),
    SWITCHED_OVER(
            "Redis hands over to its replica in good order; subscriptions stay with the former primary",
            NOTHING,
            LabScripts::switchedOver),
    SPLIT_BRAIN(
            "a replica is promoted for a contender, while the holder goes on with the former primary",
            broken(Assumption.NO_FAILOVER),
            LabScripts::splitBrain),
    OUT_OF_MEMORY("Redis has no memory for writes for one lease", NOTHING, LabScripts::outOfMemory),
    READ_ONLY("Redis refuses writes for one lease, as a replica does", NOTHING, LabScripts::readOnly),
    LOADING("Redis restarts with its data, and takes one lease to load it", NOTHING, LabScripts::loading),
    CLIENT_CLOCK_BACK(
            "the holder's wall clock is set back by three leases while it holds the lock",
            broken(Assumption.CLIENT_CLOCKS_AGREE),
            LabScripts::clientClockBack),
    CLIENT_CLOCK_SLOW(
            "the clocks of the holder run at 0.4 of the right rate, and it is cut from Redis",
            broken(Assumption.BOUNDED_CLOCK_RATES),
            LabScripts::clientClockSlow),
    HALF_OPEN(
            "the network forgets all connections: servers see them closed, clients do not",
            NOTHING,
            LabScripts::halfOpen),
    IDLE_DROPPED(
            "the network forgets all connections, and neither clients nor servers see it",
            NOTHING,
            LabScripts::idleDropped),
    CLIENT_SIDE_CLOSED(
            "the network forgets all connections: clients see them closed, servers do not",
            NOTHING,
            LabScripts::clientSideClosed),
    SERVER_CLOCK(
            "the wall clock of a server that knows of the holder is stepped forward by three leases",
            broken(Assumption.SERVER_CLOCK_STEADY),
            LabScripts::serverClock),
    MINORITY_DEAD("two of five servers die", NOTHING, LabScripts::minorityDead),
    MINORITY_HANGS("two of five servers stand still", NOTHING, LabScripts::minorityHangs),
    MAJORITY_DEAD(
            "three of five servers are dead for four leases, and come back without data",
            brokenForLong(Assumption.MAJORITY_UP),
            LabScripts::majorityDead),
    NODE_RESTARTED(
            "of the three servers that know of the holder, one restarts without data",
            broken(Assumption.RESTART_KEEPS_DATA),
            LabScripts::nodeRestarted),
    NODE_REPLACED(
            "of the three servers that know of the holder, one is replaced by an empty one that has run for longer than a lease",
            broken(Assumption.RESTART_KEEPS_DATA),
            NodeScripts::nodeReplaced),
    NODE_MOVED(
            "an endpoint leads to a new process, while the old one lives and the holder goes on with it",
            LISTS_DIFFER,
            NodeScripts::nodeMoved),
    NODE_ROLLED_BACK(
            "the image of a server that knows of the holder is rolled back",
            broken(Assumption.NO_ROLLBACK),
            NodeScripts::nodeRolledBack),
    NODE_KEY_LOST(
            "of the three servers that know of the holder, one loses the keys of the lock, and no other ones",
            broken(Assumption.NO_EVICTION),
            NodeScripts::nodeKeyLost),
    GUARDS_MIXED(
            "a server that knows of the holder restarts without data, and a contender trusts servers",
            broken(Assumption.RESTART_KEEPS_DATA),
            NodeScripts::guardsMixed),
    LEASES_MIXED(
            "a server that knows of the holder restarts without data, and a contender's longest lease is a quarter of the holder's",
            broken(Assumption.RESTART_KEEPS_DATA),
            NodeScripts::leasesMixed),
    NODES_TWICE("a contender's configuration names servers twice", NOTHING, LabScripts::nodesTwice),
    NODES_CHANGED(
            "in a rolling deploy the holder's configuration names three servers, a contender's five",
            LISTS_DIFFER,
            LabScripts::nodesChanged),
    SENTINEL_FAILOVER(
            "behind sentinels: the primary is killed when its replicas have the lock, and one of them is promoted",
            OUTAGE,
            TopologyScripts::sentinelFailover),
    SENTINEL_SWITCH_OVER(
            "behind sentinels: these hand over from the primary to a replica that has the lock",
            broken(Assumption.NO_FAILOVER),
            TopologyScripts::sentinelSwitchOver),
    SENTINEL_PARTITION(
            "behind sentinels: the primary and the holder are cut off from all others, and a replica is promoted",
            broken(Assumption.NO_FAILOVER),
            TopologyScripts::sentinelPartition),
    CLUSTER_FAILOVER(
            "in a cluster: the lock's primary is killed when its replica has the lock, which is promoted",
            OUTAGE,
            TopologyScripts::clusterFailover),
    CLUSTER_SWITCH_OVER(
            "in a cluster: the lock's primary hands over to its replica in good order",
            NOTHING,
            TopologyScripts::clusterSwitchOver),
    SLOT_MOVED(
            "in a cluster: the lock's slot moves to another primary, the lock's key before its other ones",
            NOTHING,
            TopologyScripts::slotMoved),
    NODE_REMOVED(
            "in a cluster: the lock's primary gives its slots to the others, and leaves with its replica",
            NOTHING,
            TopologyScripts::nodeRemoved),
    CLUSTER_PARTITION(
            "in a cluster: the lock's primary and the holder are cut off from all others, and its replica is promoted",
            broken(Assumption.NO_FAILOVER),
            TopologyScripts::clusterPartition);

    /** The faults that distinguish strategies best, for short runs. */
    public static final List<LabFault> QUICK = List.of(
            KILLED,
            STOPPED_WRITING,
            CUT,
            RESTART_EMPTY,
            FAILOVER_LOSSY,
            FLUSHALL,
            CLIENT_CLOCK,
            MINORITY_DEAD,
            MAJORITY_DEAD,
            NODES_TWICE);

    /** The number of servers for faults of some servers out of several. */
    private static final int FIVE = 5;

    /** Faults of some servers out of five. */
    private static final Set<LabFault> OF_QUORUMS = EnumSet.range(MINORITY_DEAD, NODES_CHANGED);

    /** Faults of the clocks of clients. */
    private static final Set<LabFault> OF_CLOCKS = EnumSet.of(CLIENT_CLOCK, CLIENT_CLOCK_BACK, CLIENT_CLOCK_SLOW);

    /** Faults of two configurations. */
    private static final Set<LabFault> OF_OPTIONS = EnumSet.of(OPTIONS_MIXED, GUARDS_MIXED, LEASES_MIXED);

    private static final Set<LabFault> BEHIND_SENTINELS = EnumSet.range(SENTINEL_FAILOVER, SENTINEL_PARTITION);
    private static final Set<LabFault> IN_CLUSTERS = EnumSet.range(CLUSTER_FAILOVER, CLUSTER_PARTITION);

    private final String description;

    // Records of enums and methods without state; the checker wants annotations to believe that.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Excuse excuse;

    @SuppressWarnings("ImmutableEnumChecker")
    private final LabScripts.Script script;

    /**
     * The reason why a finding may be no mistake of the strategy.
     *
     * @param assumption the assumption that the fault breaks, if any: two holders at once are declared by it
     * @param onlyWith another assumption, without which a strategy has to stand the fault even if it declares the first
     *     one; or {@code null}
     * @param ofAnyLease whether no lease keeps two holders apart then
     * @param outage whether no lock could be had during the fault, for longer than a dead holder's lease
     */
    public record Excuse(
            @Nullable Assumption assumption, @Nullable Assumption onlyWith, boolean ofAnyLease, boolean outage) {
        /** Nothing excuses the strategy. */
        static final Excuse NOTHING = new Excuse(null, null, false, false);

        /** A stopped holder cannot be told that its lease is over. */
        static final Excuse STANDSTILL = new Excuse(null, null, true, false);

        /** No server, or too few, can be asked. */
        static final Excuse OUTAGE = new Excuse(null, null, false, true);

        /**
         * Clients have different lists of servers, which share some. Servers that stand aside after they may have
         * forgotten leases also keep the list that counts.
         */
        static final Excuse LISTS_DIFFER =
                new Excuse(Assumption.SAME_SERVERS, Assumption.RESTART_KEEPS_DATA, false, false);

        static Excuse broken(Assumption assumption) {
            return new Excuse(assumption, null, false, false);
        }

        static Excuse brokenForLong(Assumption assumption) {
            return new Excuse(assumption, null, false, true);
        }

        /** Returns the assumption by which a strategy with the given ones declares two holders at once, if any. */
        public Optional<Assumption> declaredBy(Set<Assumption> assumed) {
            return Optional.ofNullable(assumption)
                    .filter(assumed::contains)
                    .filter(declared -> onlyWith == null || assumed.contains(onlyWith));
        }
    }

    LabFault(String description, Excuse excuse, LabScripts.Script script) {
        this.description = description;
        this.excuse = excuse;
        this.script = script;
    }

    /** Returns its name on the command line. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<LabFault> of(String id) {
        return Arrays.stream(values()).filter(fault -> fault.id().equals(id)).findFirst();
    }

    public static List<String> ids() {
        return Arrays.stream(values()).map(LabFault::id).toList();
    }

    public String description() {
        return description;
    }

    public Excuse excuse() {
        return excuse;
    }

    /** Why it cannot be caused here, or empty if it can. */
    public Optional<String> obstacle() {
        return this == SERVER_CLOCK ? ServerClock.obstacle() : Optional.empty();
    }

    /** Why it cannot be caused to the lock of another library, or empty if it can. */
    public Optional<String> obstacleForPeers() {
        if (OF_CLOCKS.contains(this)) {
            return Optional.of(
                    "needs clocks that can be set, and the lab sets those that the classes of Interlock read");
        }
        return OF_OPTIONS.contains(this)
                ? Optional.of("needs two clients with different options of Interlock")
                : Optional.empty();
    }

    /** The servers on which it is played. */
    public Topology topology() {
        if (BEHIND_SENTINELS.contains(this)) {
            return Topology.SENTINELS;
        }
        return IN_CLUSTERS.contains(this) ? Topology.CLUSTER : Topology.SINGLE_SERVERS;
    }

    /** Returns whether it can happen to a strategy at all, if that runs on such servers. */
    public boolean concerns(StrategyProfile profile) {
        boolean five = profile.supports(Capability.QUORUM) && profile.servers().usual() == FIVE;
        return five || !OF_QUORUMS.contains(this);
    }

    /** Plays the fault. */
    public void play(LabStage stage) {
        script.play(stage);
    }
}
