// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.HashSlot;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of sharded channels, each subscribed at the primary that serves the channel's slot. No client library
 * moves a subscription when its slot moves, so this class does. Safe to use from any thread.
 */
final class ShardSubscriptions {
    private final ClusterNodes nodes;
    private final Runnable onTrouble;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Set<Subscription>> byChannel = new LinkedHashMap<>();

    /** @param onTrouble run when a subscription has ended though its listener has not; does not block */
    ShardSubscriptions(ClusterNodes nodes, Runnable onTrouble) {
        this.nodes = nodes;
        this.onTrouble = onTrouble;
    }

    Watch add(String channel, RedisNode.Listener listener, SlotTable table) {
        Subscription subscription = new Subscription(channel, listener);
        lock.lock();
        try {
            byChannel.computeIfAbsent(channel, key -> new LinkedHashSet<>()).add(subscription);
            place(subscription, table);
        } finally {
            lock.unlock();
        }
        if (table.owner(subscription.slot) == null) {
            onTrouble.run();
        }
        return subscription;
    }

    /**
     * Moves subscriptions to the primaries that a slot table names.
     *
     * @return whether all are there and confirmed
     */
    boolean follow(SlotTable table) {
        List<Subscription> present;
        boolean settled = true;
        lock.lock();
        try {
            present = all();
            for (Subscription subscription : present) {
                place(subscription, table);
                settled &= subscription.begun;
            }
        } finally {
            lock.unlock();
        }
        present.forEach(subscription -> subscription.listener.tell());
        return settled;
    }

    /**
     * Moves a subscription to the primary that a slot table names. The caller delivers events to the listener after the
     * lock is released.
     */
    private void place(Subscription subscription, SlotTable table) {
        RedisEndpoint owner = table.owner(subscription.slot);
        if (owner == null) {
            return;
        }
        ClientNode node;
        try {
            node = nodes.node(owner);
        } catch (LockBackendException e) {
            // A client that was handed in may not know the node yet; the next refresh tries again.
            return;
        }
        // Nodes are compared by identity, not by address: a node that left the cluster is closed, and a new one is
        // created when it is back.
        if (node.equals(subscription.node)) {
            return;
        }
        Watch former = subscription.present;
        if (subscription.begun) {
            subscription.begun = false;
            subscription.listener.add(RedisNode.Listener::ended);
        }
        subscription.node = node;
        Attachment attachment = new Attachment(subscription);
        subscription.attachment = attachment;
        subscription.present = node.subscribeSharded(subscription.channel, attachment);
        if (former != null) {
            former.close();
        }
    }

    boolean isConfirmed(String channel) {
        lock.lock();
        try {
            return byChannel.getOrDefault(channel, Set.of()).stream().anyMatch(subscription -> subscription.begun);
        } finally {
            lock.unlock();
        }
    }

    /** Makes the connections that serve the channels reopen. */
    void doubt(@Nullable String channel) {
        Set<ClientNode> doubted = new HashSet<>();
        lock.lock();
        try {
            for (Subscription subscription : channel == null ? all() : byChannel.getOrDefault(channel, Set.of())) {
                if (subscription.node != null) {
                    doubted.add(subscription.node);
                }
            }
        } finally {
            lock.unlock();
        }
        doubted.forEach(ClientNode::doubtSubscriptions);
    }

    void close() {
        List<Subscription> left;
        lock.lock();
        try {
            left = all();
        } finally {
            lock.unlock();
        }
        left.forEach(Subscription::close);
    }

    private List<Subscription> all() {
        return byChannel.values().stream().flatMap(Set::stream).toList();
    }

    /** A listener and its current node. The mutable fields are guarded by the lock. */
    private final class Subscription implements Watch {
        private final String channel;
        private final int slot;
        private final OrderedListener listener;
        private @Nullable ClientNode node;
        private @Nullable Watch present;
        private @Nullable Attachment attachment;
        private boolean begun;

        Subscription(String channel, RedisNode.Listener listener) {
            this.channel = channel;
            this.slot = HashSlot.of(channel);
            this.listener = new OrderedListener(listener);
        }

        @Override
        public void close() {
            Watch last;
            lock.lock();
            try {
                Set<Subscription> others = byChannel.get(channel);
                if (others != null && others.remove(this) && others.isEmpty()) {
                    byChannel.remove(channel);
                }
                last = present;
                present = null;
                attachment = null;
            } finally {
                lock.unlock();
            }
            if (last != null) {
                last.close();
            }
        }
    }

    /**
     * The attachment of a subscription to one node. Its events are ignored once the subscription is at another node.
     */
    private final class Attachment implements RedisNode.Listener {
        private final Subscription subscription;

        Attachment(Subscription subscription) {
            this.subscription = subscription;
        }

        @Override
        public void begun() {
            note(true, RedisNode.Listener::begun);
        }

        @Override
        public void ended() {
            if (note(false, RedisNode.Listener::ended)) {
                onTrouble.run();
            }
        }

        @Override
        public void message(String text) {
            note(null, listener -> listener.message(text));
        }

        /**
         * Passes an event to the subscription, unless it is subscribed elsewhere by now. Returns whether the event was
         * passed on.
         */
        private boolean note(@Nullable Boolean begun, Consumer<RedisNode.Listener> event) {
            lock.lock();
            try {
                if (!equals(subscription.attachment)) {
                    return false;
                }
                subscription.begun = begun == null ? subscription.begun : begun;
                subscription.listener.add(event);
            } finally {
                lock.unlock();
            }
            subscription.listener.tell();
            return true;
        }
    }
}
