// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.waiting;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one client, on which scripts tell it of grants: a single channel, or in a cluster one for each lock
 * that it waits for, in the slot of that lock. Safe to use from any thread.
 */
public final class Channels {
    /** The most idle channels whose subscription is kept for the next waiter. */
    private static final int MOST_IDLE = 64;

    /** The key of the channel that serves all locks. */
    private static final String ALL = "";

    private final Environment env;
    private final RedisNode node;
    private final LockKeys keys;
    private final String client;
    private final Consumer<String> onChange;
    private final BiConsumer<ChannelState, String> onMessage;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Open> open = new HashMap<>();
    private final Map<String, Open> idle = new LinkedHashMap<>();

    /** A channel with a subscription, and its number of users. Guarded by the lock. */
    private static final class Open {
        private final ChannelState listening;
        private final Watch watch;
        private int users;

        Open(ChannelState listening, Watch watch) {
            this.listening = listening;
            this.watch = watch;
        }
    }

    /**
     * Creates the channels of a client, which do not listen yet.
     *
     * @param env time and chance
     * @param node the server
     * @param keys the names of channels
     * @param onChange told of which name's lock the channel has begun or ended to be listened to, or an empty name for
     *     all
     * @param onMessage told of each message
     */
    public Channels(
            Environment env,
            RedisNode node,
            LockKeys keys,
            Consumer<String> onChange,
            BiConsumer<ChannelState, String> onMessage) {
        this.env = env;
        this.node = node;
        this.keys = keys;
        this.client = env.newToken();
        this.onChange = onChange;
        this.onMessage = onMessage;
    }

    /**
     * Tells whether a server is that of these channels.
     *
     * @param server the server
     * @return whether it is the one that was given first
     */
    public boolean areAt(RedisNode server) {
        return node.equals(server);
    }

    private String scope(String name) {
        return node.isSharded() ? name : ALL;
    }

    /**
     * Returns the channel on which this client is told about a lock.
     *
     * @param name the name of the lock
     * @return the channel
     */
    public String channel(String name) {
        return node.isSharded() ? keys.client(name, client) : keys.client(client);
    }

    /**
     * Returns the state of the channel for a lock.
     *
     * @param name the name of the lock
     * @return the state, or {@code null} if the channel is not listened to
     */
    public @Nullable ChannelState find(String name) {
        lock.lock();
        try {
            Open found = open.get(scope(name));
            return found == null ? null : found.listening;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Listens to the channel for a lock, until {@link #leave}.
     *
     * @param name the name of the lock
     * @return what is known of the channel
     */
    public ChannelState enter(String name) {
        lock.lock();
        try {
            String scope = scope(name);
            idle.remove(scope);
            Open entered = open.get(scope);
            if (entered == null) {
                entered = listen(name, scope);
                open.put(scope, entered);
            }
            entered.users++;
            return entered.listening;
        } finally {
            lock.unlock();
        }
    }

    private Open listen(String name, String scope) {
        ChannelState[] self = new ChannelState[1];
        String channel = channel(name);
        ChannelState listening = new ChannelState(
                env, node, channel, () -> onChange.accept(scope), text -> onMessage.accept(self[0], text));
        self[0] = listening;
        return new Open(listening, node.subscribe(channel, listening));
    }

    /**
     * Stops listening to the channel for a lock. The subscription is kept while few channels are idle.
     *
     * @param name the name of the lock
     */
    public void leave(String name) {
        String scope = scope(name);
        if (scope.equals(ALL)) {
            return;
        }
        Watch given = Watch.NONE;
        lock.lock();
        try {
            Open left = open.get(scope);
            if (left == null || --left.users > 0) {
                return;
            }
            idle.put(scope, left);
            if (idle.size() > MOST_IDLE) {
                String eldest = idle.keySet().iterator().next();
                idle.remove(eldest);
                Open removed = open.remove(eldest);
                given = removed == null ? given : removed.watch;
            }
        } finally {
            lock.unlock();
        }
        given.close();
    }
}
