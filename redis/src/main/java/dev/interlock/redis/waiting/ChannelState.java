// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.waiting;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The state of the subscription to one channel of this client. Safe to use from any thread. */
public final class ChannelState implements RedisNode.Listener {
    /** The first pause before an unreachable subscription is opened again. */
    private static final long FIRST_DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_DOUBLINGS = 6;

    private final Environment env;
    private final RedisNode node;
    private final String channel;
    private final Runnable onChange;
    private final Consumer<String> onMessage;
    private volatile boolean begun;

    /** Whether the server that was last asked to enter a claim could reach this client by a message. */
    private volatile boolean reachable = true;

    /**
     * Counts subscriptions. A grant's message counts only if it came over the subscription that was open when the claim
     * was refused, since its age is measured by the clock of that server.
     */
    private final AtomicInteger epoch = new AtomicInteger();

    private final AtomicInteger doubts = new AtomicInteger();
    private final AtomicLong nextDoubtNanos = new AtomicLong();

    /**
     * @param onChange run when the subscription has begun or ended
     * @param onMessage told of each message
     */
    ChannelState(Environment env, RedisNode node, String channel, Runnable onChange, Consumer<String> onMessage) {
        this.env = env;
        this.node = node;
        this.channel = channel;
        this.onChange = onChange;
        this.onMessage = onMessage;
    }

    /**
     * Tells whether the server has confirmed the subscription.
     *
     * @return whether it has begun, and not ended
     */
    public boolean isBegun() {
        return begun;
    }

    /**
     * Tells whether a message would arrive, as far as is known.
     *
     * @return whether the server that was asked last would reach this client
     */
    public boolean isReachable() {
        return begun && reachable;
    }

    /**
     * Counts subscriptions.
     *
     * @return a number that changes when the subscription begins or ends
     */
    public int epoch() {
        return epoch.get();
    }

    @Override
    public void begun() {
        epoch.incrementAndGet();
        begun = true;
        reachable = true;
        onChange.run();
    }

    @Override
    public void ended() {
        epoch.incrementAndGet();
        begun = false;
        // Waiters poll from now on.
        onChange.run();
    }

    @Override
    public void message(String text) {
        onMessage.accept(text);
    }

    /**
     * Records whether a server could reach this client. If not, the subscription may lead to a former primary, or to no
     * server: then it is opened again, with growing pauses.
     *
     * @param now whether the server that was asked last would have reached this client
     */
    public void reachable(boolean now) {
        reachable = now;
        if (now) {
            doubts.set(0);
            return;
        }
        long nanos = env.nanoTime();
        long next = nextDoubtNanos.get();
        int before = doubts.get();
        if ((before == 0 || nanos - next >= 0)
                && nextDoubtNanos.compareAndSet(
                        next, nanos + (FIRST_DOUBT_NANOS << Math.min(before, MOST_DOUBLINGS)))) {
            doubts.set(before + 1);
            node.doubtSubscription(channel);
        }
    }
}
