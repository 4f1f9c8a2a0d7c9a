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
 * Listeners that are subscribed on the current primary alone. When the primary changes, each listener is told that its
 * subscription has ended, and that it has begun again once the new primary has confirmed it. Messages of the former
 * primary are ignored.
 */
final class MovingListeners {
    private static final System.Logger LOG = System.getLogger(MovingListeners.class.getName());

    private final Supplier<@Nullable Primary> current;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    MovingListeners(Supplier<@Nullable Primary> current) {
        this.current = current;
    }

    Watch add(String channel, Listener listener) {
        Subscription subscription = new Subscription(channel, listener);
        subscriptions.add(subscription);
        subscription.move();
        return subscription;
    }

    /** Subscribes all listeners on the current primary. */
    void moveAll() {
        subscriptions.forEach(Subscription::move);
    }

    void close() {
        subscriptions.forEach(Subscription::close);
    }

    private final class Subscription implements Watch {
        private final String channel;
        private final Listener listener;

        /** Held during callbacks, so that no callback follows after the listener's end. */
        private final ReentrantLock lock = new ReentrantLock();

        private @Nullable Attachment attachment;
        private boolean closed;

        Subscription(String channel, Listener listener) {
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
            subscriptions.remove(this);
        }
    }

    /** A listener on one server. The fields are guarded by the lock of the subscription. */
    private static final class Attachment implements Listener {
        private final Subscription subscription;
        private final Primary primary;
        private Watch watch = Watch.NONE;
        private boolean begun;

        Attachment(Subscription subscription, Primary primary) {
            this.subscription = subscription;
            this.primary = primary;
        }

        @Override
        public void begun() {
            whileAttached(() -> {
                begun = true;
                subscription.listener.begun();
            });
        }

        @Override
        public void ended() {
            whileAttached(() -> {
                begun = false;
                subscription.listener.ended();
            });
        }

        @Override
        public void message(String text) {
            whileAttached(() -> subscription.listener.message(text));
        }

        private void whileAttached(Runnable what) {
            subscription.lock.lock();
            try {
                if (subscription.attachment == this) {
                    subscription.tell(what);
                }
            } finally {
                subscription.lock.unlock();
            }
        }
    }

    /** Returns whether the current primary has confirmed a channel. */
    boolean isSubscribed(String channel) {
        Primary primary = current.get();
        if (primary == null) {
            return false;
        }
        RedisNode node = primary.node();
        return node.isSubscribed(channel) && current.get() == primary;
    }
}
