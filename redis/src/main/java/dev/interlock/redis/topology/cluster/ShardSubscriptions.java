// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.HashSlot;
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
 * Who listens to which sharded channel, each at the primary that serves the slot of the channel now: no client library moves a
 * subscription when its slot moves. Safe to use from any thread.
 */
final class ShardSubscriptions {
    private final ClusterMembers members;
    private final Runnable onTrouble;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Set<Member>> byChannel = new LinkedHashMap<>();

    /** @param onTrouble run when a subscription has ended that nobody gave up; does not block */
    ShardSubscriptions(ClusterMembers members, Runnable onTrouble) {
        this.members = members;
        this.onTrouble = onTrouble;
    }

    Watch add(String channel, RedisNode.Listener listener, SlotTable table) {
        Member member = new Member(channel, listener);
        lock.lock();
        try {
            byChannel.computeIfAbsent(channel, key -> new LinkedHashSet<>()).add(member);
            place(member, table);
        } finally {
            lock.unlock();
        }
        if (table.owner(member.slot) == null) {
            onTrouble.run();
        }
        return member;
    }

    /**
     * Moves subscriptions to where they belong by a table.
     *
     * @return whether all are there and confirmed
     */
    boolean follow(SlotTable table) {
        List<Member> present;
        boolean settled = true;
        lock.lock();
        try {
            present = all();
            for (Member member : present) {
                place(member, table);
                settled &= member.begun;
            }
        } finally {
            lock.unlock();
        }
        present.forEach(member -> member.listener.tell());
        return settled;
    }

    /** Moves a subscription to where it belongs. Whoever calls this tells the listener after the lock is released. */
    private void place(Member member, SlotTable table) {
        RedisEndpoint owner = table.owner(member.slot);
        if (owner == null) {
            return;
        }
        ClientNode node;
        try {
            node = members.node(owner);
        } catch (LockBackendException e) {
            // A client that was handed in does not know it yet; the next refresh tries again.
            return;
        }
        // The node is compared, not its address: one that left the cluster is closed, and another one is made when it
        // is back.
        if (node.equals(member.node)) {
            return;
        }
        Watch former = member.present;
        if (member.begun) {
            member.begun = false;
            member.listener.add(RedisNode.Listener::ended);
        }
        member.node = node;
        Ear ear = new Ear(member);
        member.ear = ear;
        member.present = node.subscribeSharded(member.channel, ear);
        if (former != null) {
            former.close();
        }
    }

    boolean isConfirmed(String channel) {
        lock.lock();
        try {
            return byChannel.getOrDefault(channel, Set.of()).stream().anyMatch(member -> member.begun);
        } finally {
            lock.unlock();
        }
    }

    /** Has the connections opened again over which these channels are listened to. */
    void doubt(@Nullable String channel) {
        Set<ClientNode> doubted = new HashSet<>();
        lock.lock();
        try {
            for (Member member : channel == null ? all() : byChannel.getOrDefault(channel, Set.of())) {
                if (member.node != null) {
                    doubted.add(member.node);
                }
            }
        } finally {
            lock.unlock();
        }
        doubted.forEach(ClientNode::doubtSubscriptions);
    }

    void close() {
        List<Member> left;
        lock.lock();
        try {
            left = all();
        } finally {
            lock.unlock();
        }
        left.forEach(Member::close);
    }

    private List<Member> all() {
        return byChannel.values().stream().flatMap(Set::stream).toList();
    }

    /** One who listens. The fields that vary are guarded by the lock. */
    private final class Member implements Watch {
        private final String channel;
        private final int slot;
        private final OrderedListener listener;
        private @Nullable ClientNode node;
        private @Nullable Watch present;
        private @Nullable Ear ear;
        private boolean begun;

        Member(String channel, RedisNode.Listener listener) {
            this.channel = channel;
            this.slot = HashSlot.of(channel);
            this.listener = new OrderedListener(listener);
        }

        @Override
        public void close() {
            Watch last;
            lock.lock();
            try {
                Set<Member> others = byChannel.get(channel);
                if (others != null && others.remove(this) && others.isEmpty()) {
                    byChannel.remove(channel);
                }
                last = present;
                present = null;
                ear = null;
            } finally {
                lock.unlock();
            }
            if (last != null) {
                last.close();
            }
        }
    }

    /** Listens at one node on behalf of a member, which hears no more of it when it listens at another node. */
    private final class Ear implements RedisNode.Listener {
        private final Member member;

        Ear(Member member) {
            this.member = member;
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

        /** Tells the member of an event, unless it listens elsewhere by now; returns whether it does not. */
        private boolean note(@Nullable Boolean begun, Consumer<RedisNode.Listener> event) {
            lock.lock();
            try {
                if (!equals(member.ear)) {
                    return false;
                }
                member.begun = begun == null ? member.begun : begun;
                member.listener.add(event);
            } finally {
                lock.unlock();
            }
            member.listener.tell();
            return true;
        }
    }
}
