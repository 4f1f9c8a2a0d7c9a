// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.HashSlot;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster as one node: each command goes to the server that is responsible for its key.
 *
 * <p>Commands go over nodes for single servers, which provide at-most-once delivery, time-outs and undos. This class
 * only chooses the server, and follows redirections.
 */
public final class ClusterNode implements RedisNode {
    private final Environment env;
    private final ClusterNodes nodes;
    private final SlotKeeper slots;
    private final Router router;
    private final ShardSubscriptions subscriptions;
    private volatile Runnable onTakeover = () -> {};

    /**
     * Creates a node; does not connect.
     *
     * @param seeds some nodes of the cluster, whose login and encryption all nodes share
     * @param connector makes the nodes of single servers; closed with this node
     * @param timeout how long a node may take to tell the slots
     */
    public ClusterNode(List<RedisEndpoint> seeds, ServerConnector connector, Duration timeout, Environment env) {
        this.env = env;
        this.nodes = new ClusterNodes(env, connector, this::refreshSoon);
        this.slots = new SlotKeeper(env, seeds, timeout, nodes, this::followTable, () -> onTakeover.run());
        this.router = new Router(env, slots, nodes);
        this.subscriptions = new ShardSubscriptions(nodes, this::refreshSoon);
    }

    private void refreshSoon() {
        // No caller waits for this.
        var unused = slots.refresh();
    }

    private boolean followTable() {
        return subscriptions.follow(slots.table());
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return router.route(
                slot(command),
                new Deadline(env, timeout),
                (node, asking, left) -> asking ? node.callAsking(command, null, left) : node.call(command, left));
    }

    @Override
    public @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return router.route(
                slot(command),
                new Deadline(env, timeout),
                (node, asking, left) ->
                        asking ? node.callAsking(command, null, left) : node.callUrgently(command, left));
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        return Objects.requireNonNull(router.route(
                slot(command),
                new Deadline(env, timeout),
                (node, asking, left) -> node.callAcknowledged(command, wanted, asking, left)));
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
        return router.route(
                slot(command),
                new Deadline(env, timeout),
                (node, asking, left) ->
                        asking ? node.callAsking(command, undo, left) : node.callOrUndo(command, undo, left));
    }

    @Override
    public List<RedisLink.Reply> callInOrder(
            List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
        // Errors are returned as replies, so that no redirection leads to a node that expects ASKING first.
        return Objects.requireNonNull(router.route(
                slot(commands.get(0)),
                new Deadline(env, timeout),
                (node, asking, left) -> node.callInOrder(commands, undo, left)));
    }

    /** Returns the slot of a command's key. A command without a key may go to any node. */
    static int slot(RedisCommand command) {
        return command.key().map(HashSlot::of).orElse(0);
    }

    @Override
    public List<RedisLink.Reply> callEach(List<RedisCommand> commands, Duration timeout) {
        return new ClusterBatch(env, slots, nodes, this::call, commands).send(new Deadline(env, timeout));
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return router.route(
                HashSlot.of(key),
                new Deadline(env, timeout),
                (node, asking, left) -> node.transactIfEqual(key, expected, commands, asking, left));
    }

    @Override
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        return Objects.requireNonNull(router.route(
                HashSlot.of(keys.get(0)),
                new Deadline(env, timeout),
                (node, asking, left) -> node.transactWhereEqual(keys, expected, commands, asking, left)));
    }

    @Override
    public int slot(String key) {
        return HashSlot.of(key);
    }

    @Override
    public String lane(String key) {
        RedisEndpoint owner = slots.table().owner(HashSlot.of(key));
        return owner == null ? "" : owner.toString();
    }

    @Override
    public long generation(String key) {
        RedisEndpoint owner = slots.table().owner(HashSlot.of(key));
        ClientNode node = owner == null ? null : nodes.find(owner);
        return node == null ? -1 : node.generation(key);
    }

    @Override
    public boolean isSharded() {
        return true;
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return subscriptions.add(channel, listener, slots.table());
    }

    @Override
    public boolean isSubscribed(String channel) {
        return subscriptions.isConfirmed(channel);
    }

    @Override
    public void watchTakeovers(Runnable takeover) {
        onTakeover = takeover;
    }

    @Override
    public void doubtSubscriptions() {
        subscriptions.doubt(null);
        refreshSoon();
    }

    @Override
    public void doubtSubscription(String channel) {
        subscriptions.doubt(channel);
        refreshSoon();
    }

    @Override
    public void close() {
        slots.close();
        subscriptions.close();
        nodes.close();
    }

    @Override
    public String toString() {
        return "RedisNode[cluster of " + slots.table().primaries() + "]";
    }
}
