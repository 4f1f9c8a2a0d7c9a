// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNode.Listener;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Listeners that listen on the present primary alone. When it changes, each is told that its subscription has ended, and again that
 * it has begun when the new primary has confirmed it; what the former primary says in between is not heard.
 */
final class MovingListeners {
    private static final System.Logger LOG = System.getLogger(MovingListeners.class.getName());

    private final Supplier<@Nullable Primary> current;
    private final Set<Member> members = ConcurrentHashMap.newKeySet();

    MovingListeners(Supplier<@Nullable Primary> current) {
        this.current = current;
    }

    Watch add(String channel, Listener listener) {
        Member member = new Member(channel, listener);
        members.add(member);
        member.move();
        return member;
    }

    /** Lets all listen on the present primary. */
    void moveAll() {
        members.forEach(Member::move);
    }

    void close() {
        members.forEach(Member::close);
    }

    private final class Member implements Watch {
        private final String channel;
        private final Listener listener;

        /** Held while the listener is told something, so that nothing follows after its end. */
        private final ReentrantLock lock = new ReentrantLock();

        private @Nullable Attachment attachment;
        private boolean closed;

        Member(String channel, Listener listener) {
            this.channel = channel;
            this.listener = listener;
        }

        void move() {
            lock.lock();
            try {
                Primary primary = current.get();
                if (closed || (attachment != null && attachment.primary == primary)) {
                    return;
                }
                detach();
                if (primary != null) {
                    Attachment fresh = new Attachment(this, primary);
                    attachment = fresh;
                    fresh.watch = primary.node().subscribe(channel, fresh);
                }
            } finally {
                lock.unlock();
            }
        }

        private void detach() {
            Attachment former = attachment;
            attachment = null;
            if (former != null) {
                former.watch.close();
                if (former.begun && !closed) {
                    tell(listener::ended);
                }
            }
        }

        private void tell(Runnable what) {
            try {
                what.run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener failed", e);
            }
        }

        @Override
        public boolean isListening() {
            lock.lock();
            try {
                return attachment != null && attachment.begun;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                closed = true;
                detach();
            } finally {
                lock.unlock();
            }
            members.remove(this);
        }
    }

    /** A listener on one server. The fields are guarded by the lock of the member. */
    private static final class Attachment implements Listener {
        private final Member member;
        private final Primary primary;
        private Watch watch = Watch.NONE;
        private boolean begun;

        Attachment(Member member, Primary primary) {
            this.member = member;
            this.primary = primary;
        }

        @Override
        public void begun() {
            whileAttached(() -> {
                begun = true;
                member.listener.begun();
            });
        }

        @Override
        public void ended() {
            whileAttached(() -> {
                begun = false;
                member.listener.ended();
            });
        }

        @Override
        public void message(String text) {
            whileAttached(() -> member.listener.message(text));
        }

        private void whileAttached(Runnable what) {
            member.lock.lock();
            try {
                if (member.attachment == this) {
                    member.tell(what);
                }
            } finally {
                member.lock.unlock();
            }
        }
    }

    /** Whether the present primary has confirmed a channel. */
    boolean isSubscribed(String channel) {
        Primary primary = current.get();
        if (primary == null) {
            return false;
        }
        RedisNode node = primary.node();
        return node.isSubscribed(channel) && current.get() == primary;
    }
}
