// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster whose nodes are {@code redis-server} processes of our own on free ports of the loopback interface.
 * When it is returned, all slots are served, and all nodes agree on the slot table.
 *
 * <p>The nodes do not fail over because the machine is busy: a node is down for the others after
 * {@value #STEADY_SECONDS} seconds of silence, except while a test {@linkplain #kill kills} or
 * {@linkplain #pause pauses} a primary, or when it {@linkplain #nodeTimeout says otherwise}.
 *
 * <p>Servers that are still running when the JVM ends are killed. Instances are safe to use from any thread.
 */
public final class ClusterServers implements AutoCloseable {
    /** The number of slots of a cluster. */
    public static final int SLOTS = 16_384;

    private static final int STEADY_SECONDS = 60;
    private static final Duration QUICK = Duration.ofSeconds(1);
    private static final long FAILOVER_SECONDS = 6;

    private final CopyOnWriteArrayList<RedisServer> nodes;
    private final Set<RedisServer> isolated = ConcurrentHashMap.newKeySet();
    private final @Nullable String password;
    private final Map<RedisServer, Integer> slotOfSilenced = new ConcurrentHashMap<>();
    private volatile Duration nodeTimeout = Duration.ofSeconds(STEADY_SECONDS);

    private ClusterServers(List<RedisServer> nodes, @Nullable String password) {
        this.nodes = new CopyOnWriteArrayList<>(nodes);
        this.password = password;
    }

    /**
     * Starts a cluster of three primaries without replicas.
     *
     * @param extraArgs more arguments for all nodes, as in {@link RedisServer#start}; with {@code "--requirepass"}
     *     replicas log in with that password
     * @return the cluster
     * @throws RedisServerException if a node does not start, or they do not find each other
     */
    public static ClusterServers start(String... extraArgs) {
        return start(3, 0, extraArgs);
    }

    /**
     * Starts a cluster.
     *
     * @param primaries how many primaries, among which the slots are divided in equal ranges; three or more can fail
     *     over when one is lost
     * @param replicasEach how many replicas each of them has
     * @param extraArgs more arguments for all nodes, as in {@link #start(String...)}
     * @return the cluster
     * @throws RedisServerException if a node does not start, or they do not find each other
     */
    public static ClusterServers start(int primaries, int replicasEach, String... extraArgs) {
        List<String> arguments = ServerStart.withReplication(List.of(extraArgs));
        arguments.addAll(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-announce-ip",
                "127.0.0.1",
                "--cluster-node-timeout",
                Long.toString(TimeUnit.SECONDS.toMillis(STEADY_SECONDS)),
                // Replicas stay with the primary that they were given, and are promoted however old their data is.
                "--cluster-allow-replica-migration",
                "no",
                "--cluster-replica-validity-factor",
                "0"));
        ClusterServers cluster = new ClusterServers(
                ServerStart.together(primaries * (1 + replicasEach), arguments), ServerStart.password(arguments));
        try {
            cluster.introduce(primaries);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void introduce(int primaries) {
        for (int i = 0; i < nodes.size(); i++) {
            RedisServer node = nodes.get(i);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < primaries) {
                int first = SLOTS * i / primaries;
                int last = SLOTS * (i + 1) / primaries - 1;
                node.command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
            }
            for (RedisServer other : nodes.subList(0, i)) {
                node.command(
                        "CLUSTER",
                        "MEET",
                        "127.0.0.1",
                        Integer.toString(other.port()),
                        Integer.toString(other.busPort()));
            }
        }
        // A meeting is complete when both nodes have opened a bus connection to each other.
        Polling.until("all nodes have met", this::describe, () -> nodes.stream().allMatch(this::knowsAll));
        for (int i = primaries; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", ClusterView.id(nodes.get(i % primaries)));
        }
        setNoFailover("yes");
        gossip();
        setNoFailover("no");
    }

    private void setNoFailover(String value) {
        nodes.forEach(node -> node.command("CONFIG", "SET", "cluster-replica-no-failover", value));
    }

    /**
     * Sets a short node time-out, with which a node gossips to all others often, and not only to those that it happens
     * to ping.
     */
    private void gossip() {
        // Again where a node stood still for longer than the short time-out: it would count as failed for twice the
        // long one.
        Polling.until("all nodes agree for good", this::describe, () -> {
            tellNodeTimeout(QUICK);
            awaitSettled();
            tellNodeTimeout(nodeTimeout);
            return isSettled();
        });
    }

    /**
     * Makes the nodes announce other ports to clients than those on which they listen, such as the ports of proxies,
     * and waits until all running nodes do. The setting survives a restart.
     *
     * @param port the port that is told of each node
     */
    public void announce(ToIntFunction<RedisServer> port) {
        responsive().forEach(node -> node.configure("cluster-announce-port", Integer.toString(port.applyAsInt(node))));
        gossip();
    }

    private boolean knowsAll(RedisServer node) {
        ClusterView view = ClusterView.of(node);
        return nodes.stream().allMatch(other -> view.node(other).isHealthy());
    }

    /**
     * Returns the endpoint of the cluster.
     *
     * @return {@code redis-cluster://} with the addresses of all nodes
     */
    public String uri() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    /**
     * Returns the nodes, primaries and replicas.
     *
     * @return all but those that were removed, running or not; first the primaries of the start in the order of their
     *     slots
     */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * Returns the primaries as a running node sees them.
     *
     * @return the primaries that serve slots, in the order of these
     */
    public List<RedisServer> primaries() {
        ClusterView view = view();
        return nodes.stream()
                .filter(node -> view.knows(node)
                        && view.node(node).isPrimary()
                        && !view.node(node).slots().isEmpty())
                .sorted(Comparator.comparingInt(node -> view.node(node).slots().nextSetBit(0)))
                .toList();
    }

    /**
     * Returns the replicas of a primary as a running node sees them.
     *
     * @param primary the primary
     * @return its replicas, running or not
     */
    public List<RedisServer> replicasOf(RedisServer primary) {
        ClusterView view = view();
        String id = view.node(primary).id();
        return nodes.stream()
                .filter(node -> view.knows(node) && view.node(node).primaryId().equals(id))
                .toList();
    }

    private ClusterView view() {
        return ClusterView.of(anyResponsive());
    }

    private RedisServer anyResponsive() {
        return responsive().findFirst().orElseThrow(() -> new IllegalStateException("no node is running"));
    }

    private Stream<RedisServer> responsive() {
        return nodes.stream().filter(node -> node.isResponsive() && !isolated.contains(node));
    }

    /**
     * Returns the slot of a key.
     *
     * @param key the key
     * @return its slot, which that part of the key decides that stands between braces, if there is one
     */
    public int slotOf(String key) {
        return Integer.parseInt(String.valueOf(anyResponsive().command("CLUSTER", "KEYSLOT", key)));
    }

    /**
     * Returns the primary that serves a slot as a running node sees it.
     *
     * @param slot the slot
     * @return its primary, running or not
     */
    public RedisServer nodeOfSlot(int slot) {
        ClusterView view = view();
        return nodes.stream()
                .filter(node -> view.knows(node) && view.node(node).serves(slot))
                .findFirst()
                .orElseThrow(() -> new RedisServerException("no node serves slot " + slot));
    }

    /**
     * Moves a slot with its keys to another primary, and waits until all running nodes know it.
     *
     * @param slot the slot
     * @param target the primary that gets it
     */
    public void migrateSlot(int slot, RedisServer target) {
        beginMigration(slot, target).finish();
        awaitSettled();
    }

    /**
     * Begins to move a slot to another primary; no keys are moved yet.
     *
     * @param slot the slot
     * @param target the primary that is to get it
     * @return the migration, which its user goes on with or leaves as it is
     */
    public SlotMigration beginMigration(int slot, RedisServer target) {
        return new SlotMigration(List.of(slot), nodeOfSlot(slot), target, password);
    }

    /**
     * Promotes a replica in place of its primary by a clean switch-over, and waits until all running nodes know it.
     *
     * @param primary the primary, which becomes a replica
     * @return the new primary
     * @throws RedisServerException if that does not happen within a minute
     */
    public RedisServer failOver(RedisServer primary) {
        int slot = firstSlot(primary);
        RedisServer replica = runningReplica(primary);
        long[] asked = {System.nanoTime() - TimeUnit.SECONDS.toNanos(FAILOVER_SECONDS)};
        Polling.until("a replica has replaced its primary", this::describe, () -> {
            boolean done = ClusterView.of(replica).node(replica).serves(slot);
            // A replica silently gives up a failover that takes five seconds.
            if (!done && System.nanoTime() - asked[0] >= TimeUnit.SECONDS.toNanos(FAILOVER_SECONDS)) {
                asked[0] = System.nanoTime();
                replica.command("CLUSTER", "FAILOVER");
            }
            return done;
        });
        // Makes the new replica gossip to all nodes, and not only to those that it happens to ping. Replicas have no
        // vote in failovers.
        setNodeTimeout(primary, QUICK);
        awaitSettled();
        setNodeTimeout(primary, nodeTimeout);
        return replica;
    }

    private RedisServer runningReplica(RedisServer primary) {
        return replicasOf(primary).stream()
                .filter(RedisServer::isResponsive)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(primary + " has no replica that runs"));
    }

    private int firstSlot(RedisServer primary) {
        int slot = view().node(primary).slots().nextSetBit(0);
        if (slot < 0) {
            throw new IllegalArgumentException(primary + " serves no slots");
        }
        return slot;
    }

    /**
     * Kills a primary. The other nodes notice within a second or two.
     *
     * @param primary the primary, to be given to {@link #awaitFailover} if it has a replica
     */
    public void kill(RedisServer primary) {
        slotOfSilenced.put(primary, firstSlot(primary));
        primary.kill();
        tellNodeTimeout(QUICK);
    }

    /**
     * Pauses a primary. The other nodes notice within a second or two. When it is {@linkplain RedisServer#resume
     * resumed}, it acts as a primary until another node tells it otherwise.
     *
     * @param primary the primary, to be given to {@link #awaitFailover} if it has a replica
     */
    public void pause(RedisServer primary) {
        slotOfSilenced.put(primary, firstSlot(primary));
        primary.pause();
        tellNodeTimeout(QUICK);
    }

    /**
     * Waits until a replica serves the slots of a primary that was {@linkplain #kill killed} or
     * {@linkplain #pause paused}, and all running nodes know it.
     *
     * @param former the former primary
     * @return the new primary
     * @throws RedisServerException if that does not happen within a minute
     */
    public RedisServer awaitFailover(RedisServer former) {
        Integer slot = slotOfSilenced.get(former);
        if (slot == null) {
            throw new IllegalArgumentException(former + " was neither killed nor paused through its cluster");
        }
        Polling.until("a replica has replaced its primary", this::describe, () -> nodeOfSlot(slot) != former);
        awaitSettled();
        tellNodeTimeout(nodeTimeout);
        return nodeOfSlot(slot);
    }

    /**
     * Cuts a primary off from all other nodes, and promotes a replica without its knowledge. The former primary goes on
     * serving its slots, as a node does before its node time-out has passed, and this object ignores it from now on.
     *
     * @param primary the primary, which has a replica
     * @return the new primary, which all other running nodes know
     * @throws RedisServerException if these do not hear of it within a minute
     */
    public RedisServer isolate(RedisServer primary) {
        int slot = firstSlot(primary);
        RedisServer replica = runningReplica(primary);
        ClusterView view = view();
        // A node that knows no other node needs no majority, and ignores nodes that it does not know.
        primary.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
        for (RedisServer node : nodes) {
            if (node != primary) {
                primary.command("CLUSTER", "FORGET", view.node(node).id());
            }
        }
        isolated.add(primary);
        replica.command("CLUSTER", "FAILOVER", "TAKEOVER");
        Polling.until(
                "the other nodes know the new primary",
                this::describe,
                () -> responsive()
                        .allMatch(node -> ClusterView.of(node).node(replica).serves(slot)));
        return replica;
    }

    /**
     * Gives all slots of a primary with their keys to the other primaries, and closes it and its replicas.
     *
     * @param primary the primary, which is running
     */
    public void removeNode(RedisServer primary) {
        List<RedisServer> heirs =
                primaries().stream().filter(node -> node != primary).toList();
        List<Integer> slots = view().node(primary).slots().stream().boxed().toList();
        for (int i = 0; i < heirs.size(); i++) {
            List<Integer> share = slots.subList(slots.size() * i / heirs.size(), slots.size() * (i + 1) / heirs.size());
            new SlotMigration(share, primary, heirs.get(i), password).finish();
        }
        awaitSettled();
        List<RedisServer> leaving =
                Stream.concat(Stream.of(primary), replicasOf(primary).stream()).toList();
        List<String> ids = leaving.stream().map(ClusterView::id).toList();
        nodes.removeAll(leaving);
        responsive().forEach(node -> ids.forEach(id -> node.command("CLUSTER", "FORGET", id)));
        leaving.forEach(RedisServer::close);
        awaitSettled();
    }

    /**
     * Waits until all running nodes agree on who serves which slot, serve, and take each other for healthy, and
     * replicas have the data of their primaries. A node that is paused is resumed or killed first, or has been
     * replaced.
     *
     * @throws RedisServerException if that does not happen within a minute
     */
    public void awaitSettled() {
        Polling.until("all nodes agree", this::describe, this::isSettled);
    }

    private boolean isSettled() {
        ClusterView view = view();
        return responsive()
                .allMatch(node -> view.knows(node)
                        && view.node(node).isHealthy()
                        && view.equals(ClusterView.of(node))
                        && String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok")
                        && (view.node(node).isPrimary()
                                || String.valueOf(node.command("INFO", "replication"))
                                        .contains("master_link_status:up")));
    }

    /**
     * Sets the time of silence after which a node counts another one as down.
     *
     * @param time the time, {@value #STEADY_SECONDS} seconds at first; too short a one lets a busy machine cause
     *     failovers
     */
    public void nodeTimeout(Duration time) {
        nodeTimeout = time;
        tellNodeTimeout(time);
    }

    private void tellNodeTimeout(Duration time) {
        responsive().forEach(node -> setNodeTimeout(node, time));
    }

    private static void setNodeTimeout(RedisServer node, Duration time) {
        node.command("CONFIG", "SET", "cluster-node-timeout", Long.toString(time.toMillis()));
    }

    private String describe() {
        return responsive()
                .map(node -> node + ":\n" + node.command("CLUSTER", "NODES") + node.command("CLUSTER", "INFO"))
                .collect(Collectors.joining("\n"));
    }

    /** Kills all nodes and deletes their directories; has no effect if called again. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "ClusterServers[" + uri() + "]";
    }
}
