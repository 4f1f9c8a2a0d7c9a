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
        Set<Member> ended = new HashSet<>();
        boolean settled = true;
        lock.lock();
        try {
            for (Member member : all()) {
                if (place(member, table)) {
                    ended.add(member);
                }
                settled &= member.begun;
            }
        } finally {
            lock.unlock();
        }
        ended.forEach(member -> member.listener.ended());
        return settled;
    }

    /** Moves a subscription to where it belongs; returns whether it had begun elsewhere. */
    private boolean place(Member member, SlotTable table) {
        RedisEndpoint owner = table.owner(member.slot);
        if (owner == null || owner.equals(member.at)) {
            return false;
        }
        ClientNode node;
        try {
            node = members.node(owner);
        } catch (LockBackendException e) {
            // A client that was handed in does not know it yet; the next refresh tries again.
            return false;
        }
        Watch former = member.present;
        boolean hadBegun = member.begun;
        member.begun = false;
        member.at = owner;
        member.node = node;
        Ear ear = new Ear(member);
        member.ear = ear;
        member.present = node.subscribeSharded(member.channel, ear);
        if (former != null) {
            former.close();
        }
        return hadBegun;
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
        private final RedisNode.Listener listener;
        private @Nullable RedisEndpoint at;
        private @Nullable ClientNode node;
        private @Nullable Watch present;
        private @Nullable Ear ear;
        private boolean begun;

        Member(String channel, RedisNode.Listener listener) {
            this.channel = channel;
            this.slot = HashSlot.of(channel);
            this.listener = listener;
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
            if (note(true)) {
                member.listener.begun();
            }
        }

        @Override
        public void ended() {
            if (note(false)) {
                member.listener.ended();
                onTrouble.run();
            }
        }

        @Override
        public void message(String text) {
            if (isCurrent()) {
                member.listener.message(text);
            }
        }

        private boolean note(boolean begun) {
            lock.lock();
            try {
                boolean current = equals(member.ear);
                if (current) {
                    member.begun = begun;
                }
                return current;
            } finally {
                lock.unlock();
            }
        }

        private boolean isCurrent() {
            lock.lock();
            try {
                return equals(member.ear);
            } finally {
                lock.unlock();
            }
        }
    }
}
