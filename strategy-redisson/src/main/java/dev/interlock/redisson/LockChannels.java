// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * The channels on which releases are announced. Subscribes to them, and retries if that fails. An unused subscription
 * is kept for a moment, since a contended lock is likely to be waited for again. Safe to use from any thread.
 */
final class LockChannels implements AutoCloseable {
    private static final long TENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The time for which an unused subscription is kept. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientSource source;
    private final Environment env;
    private final boolean sharded;
    private final Map<String, LockChannel> channels = new ConcurrentHashMap<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable Thread tender;
    private volatile boolean closed;

    /**
     * Creates an object without subscriptions.
     *
     * @param source the client
     * @param env time and threads
     * @param sharded whether the messages of a cluster stay on the node of their channel
     */
    LockChannels(ClientSource source, Environment env, boolean sharded) {
        this.source = source;
        this.env = env;
        this.sharded = sharded;
    }

    /**
     * Records that the lock of a channel is about to be requested, so that {@link #to} knows which messages came after
     * that.
     */
    void asking(String channel) {
        LockChannel present = channels.get(channel);
        if (present != null) {
            present.asking();
        }
    }

    /**
     * Runs an action for each message on a channel, and whenever a message may have been missed since the lock was
     * requested.
     */
    Watch to(String channel, Runnable onSignal) {
        while (!closed) {
            LockChannel used = channels.computeIfAbsent(channel, name -> new LockChannel(name, this));
            Watch watch = used.add(onSignal);
            if (watch != null) {
                return watch;
            }
            channels.remove(channel, used);
        }
        return () -> {};
    }

    /** Returns whether a subscription to a channel has succeeded, and has not been given up. */
    boolean isSubscribed(String channel) {
        LockChannel present = channels.get(channel);
        return present != null && present.isListening();
    }

    long nanoTime() {
        return env.nanoTime();
    }

    /** Returns the topic by which Redisson subscribes. */
    RTopic topic(String channel) {
        RedissonClient client =
                source.ifConnected().orElseThrow(() -> new IllegalStateException("the client is not connected"));
        return sharded
                ? client.getShardedTopic(channel, StringCodec.INSTANCE)
                : client.getTopic(channel, StringCodec.INSTANCE);
    }

    /** Schedules the upkeep of the channels, for as long as any of them needs it. */
    void tendLater() {
        mutex.lock();
        try {
            if (tender == null && !closed) {
                tender = env.newThread("interlock-redisson-listen", this::tend);
                tender.start();
            }
        } finally {
            mutex.unlock();
        }
    }

    private void tend() {
        while (hasMore()) {
            long until = env.nanoTime() + TENDING_NANOS;
            for (long left = TENDING_NANOS; left > 0 && !closed; left = until - env.nanoTime()) {
                env.park(this, left);
            }
            channels.forEach((name, channel) -> {
                if (channel.tend(LINGER_NANOS)) {
                    channels.remove(name, channel);
                }
            });
        }
    }

    private boolean hasMore() {
        mutex.lock();
        try {
            if (!closed && channels.values().stream().anyMatch(LockChannel::needsTending)) {
                return true;
            }
            tender = null;
            return false;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            if (tender != null) {
                env.unpark(tender);
            }
        } finally {
            mutex.unlock();
        }
        channels.values().forEach(LockChannel::end);
    }
}
