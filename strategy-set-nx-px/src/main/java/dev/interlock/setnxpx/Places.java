// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ChannelState;
import dev.interlock.redis.waiting.Channels;
import dev.interlock.redis.waiting.WaitingScripts;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The places of one client among those who wait, and the channels on which it is told when its turn has come.
 *
 * <p>The client begins to listen when it first waits and goes on, so that a wait costs no subscription. Safe to use from any thread.
 */
final class Places {
    /** The longest lease of a lock that is granted to a waiter of whom nobody knows whether it is still awake. */
    private static final Duration LONGEST_HAND_OVER = Duration.ofSeconds(2);

    private static final Pattern MESSAGE = Pattern.compile("(\\p{XDigit}+) ((\\d+) (\\d+) (.+))", Pattern.DOTALL);

    private final Environment env;
    private final LockKeys keys;
    private final Channels channels;
    private final Map<String, Place> places = new ConcurrentHashMap<>();
    private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();

    Places(Environment env, RedisNode node, LockKeys keys) {
        this.env = env;
        this.keys = keys;
        this.channels = new Channels(env, node, keys, this::wake, this::take);
    }

    /** A moment before a request was sent, on both clocks of this machine, and the subscription at that moment. */
    record Moment(long nanos, long wallMillis, int epoch) {}

    /** A refusal: a moment before it, and the server's time in it. */
    private record Refusal(Moment before, long serverMicros) {}

    /** What a message says: the lock was granted at the server's time. */
    private record HandOver(long firstFence, long serverMicros, int epoch) {}

    private static final class Place {
        private final Claim claim;
        private @Nullable Refusal refusal;

        /** When the server took it in first, by its clock in µs; zero if it has not. */
        private long since;

        private volatile @Nullable HandOver handOver;

        Place(Claim claim) {
            this.claim = claim;
        }
    }

    /** Returns the moment before a claim is sent. */
    Moment now(Claim claim) {
        ChannelState listening = claim.isWaiting() ? channels.find(claim.name()) : null;
        return new Moment(env.nanoTime(), env.currentTimeMillis(), listening == null ? 0 : listening.epoch());
    }

    /** What stands before the token of a claim in its entry in the list, the same each time. */
    String beforeToken(Claim claim) {
        return claim.number() + " ";
    }

    /** What stands behind the token of a claim in its entry in the list, the same each time. */
    String behindToken(Claim claim, int fences) {
        return " " + handOverLease(claim).toMillis() + " " + fences + " " + channel(claim);
    }

    /** The channel on which a claim is told. */
    String channel(Claim claim) {
        return channels.channel(claim.name());
    }

    /** The lease of what a release grants to a claim that waits. */
    static Duration handOverLease(Claim claim) {
        return claim.lease().compareTo(LONGEST_HAND_OVER) < 0 ? claim.lease() : LONGEST_HAND_OVER;
    }

    /** Whether a claim may be entered in the list: only those whom a message reaches. */
    boolean mayEnter(Claim claim) {
        if (!claim.isWaiting()) {
            return false;
        }
        ChannelState listening = channels.find(claim.name());
        return listening != null && listening.isBegun();
    }

    /** Notes that a claim is about to be entered, since its turn may come before the answer. */
    void enter(Claim claim) {
        if (find(claim) == null) {
            places.put(keys.lock(claim.name()), new Place(claim));
        }
    }

    boolean has(Claim claim) {
        return find(claim) != null;
    }

    private @Nullable Place find(Claim claim) {
        if (places.isEmpty()) {
            return null;
        }
        Place place = places.get(keys.lock(claim.name()));
        return place != null && place.claim.number() == claim.number() ? place : null;
    }

    /** Since when a claim has its place, by the server's clock in µs; zero if it has none. */
    long since(Claim claim) {
        Place place = find(claim);
        return place == null ? 0 : place.since;
    }

    /**
     * Notes a refusal.
     *
     * @param entering whether the claim was to be entered in the list
     * @param since when it was, by the server's clock in µs; zero if it was not, because no message of this server would reach us
     */
    void refused(Claim claim, Moment before, long serverMicros, boolean entering, long since) {
        Place place = find(claim);
        ChannelState listening = channels.find(claim.name());
        if (place != null) {
            // A server that would not reach us has no message of which this would tell the age.
            place.refusal = (entering && since == 0) || listening == null ? null : new Refusal(before, serverMicros);
            if (since != 0) {
                place.since = since;
            }
        }
        if (entering && listening != null) {
            listening.reachable(since != 0);
        }
    }

    void leave(Claim claim) {
        Place place = find(claim);
        if (place != null) {
            places.remove(keys.lock(claim.name()), place);
        }
    }

    /** The grant that a message has brought, if it is good for a while yet; whoever finds none has to ask. */
    Optional<Attempt> takeGrant(Claim claim) {
        Place place = find(claim);
        HandOver handOver = place == null ? null : place.handOver;
        if (place == null || handOver == null) {
            return Optional.empty();
        }
        place.handOver = null;
        Refusal refusal = place.refusal;
        Duration lease = handOverLease(claim);
        // A refusal after the message shows that its grant is over.
        if (refusal == null
                || refusal.before.epoch != handOver.epoch
                || handOver.serverMicros < refusal.serverMicros
                || (!claim.isRenewed() && lease.compareTo(claim.lease()) < 0)) {
            return Optional.empty();
        }
        Duration left = left(refusal, handOver, SetNxPxProtocol.validity(lease));
        if (left.compareTo(lease.dividedBy(2)) < 0) {
            return Optional.empty();
        }
        leave(claim);
        return Optional.of(new Attempt.Granted(
                left, handOver.firstFence == 0 ? OptionalLong.empty() : OptionalLong.of(handOver.firstFence)));
    }

    /**
     * How much of a validity is left. It began when the server granted the lock, which was as long after the refusal as the server
     * says, less what clocks may differ in rate, and not after now. The wall clock tells of a machine that was suspended.
     */
    private Duration left(Refusal refusal, HandOver handOver, Duration validity) {
        Duration between = Duration.of(handOver.serverMicros - refusal.serverMicros, ChronoUnit.MICROS);
        long sinceRefusal = env.nanoTime() - refusal.before.nanos;
        long atLeast = between.minus(between.dividedBy(100)).toNanos();
        Duration monotonic = validity.minusNanos(Math.max(0, sinceRefusal - atLeast));
        Duration wall = validity.plus(between).minusMillis(env.currentTimeMillis() - refusal.before.wallMillis);
        return monotonic.compareTo(wall) < 0 ? monotonic : wall;
    }

    Watch watch(String name, Runnable onFreed) {
        String key = keys.lock(name);
        watchers.put(key, onFreed);
        ChannelState listening = channels.enter(name);
        Place place = places.get(key);
        // Whoever asked before there was a place to be had, and whoever's turn came before this watch, would wait in
        // vain.
        if (listening.isBegun() && (place == null || place.handOver != null)) {
            onFreed.run();
        }
        AtomicBoolean closed = new AtomicBoolean();
        return new Watch() {
            @Override
            public boolean isListening() {
                return listening.isReachable();
            }

            @Override
            public void close() {
                watchers.remove(key, onFreed);
                if (!closed.getAndSet(true)) {
                    channels.leave(name);
                }
            }
        };
    }

    /** Has those who wait for one lock, or for any, ask what has become of it. */
    private void wake(String name) {
        if (name.isEmpty()) {
            watchers.values().forEach(Runnable::run);
            return;
        }
        Runnable watcher = watchers.get(keys.lock(name));
        if (watcher != null) {
            watcher.run();
        }
    }

    private void take(ChannelState listening, String text) {
        Matcher message = MESSAGE.matcher(text);
        if (!message.matches()) {
            return;
        }
        String key = message.group(5);
        Place place = places.get(key);
        if (place == null
                || !WaitingScripts.proof(place.claim.token(), message.group(2)).equals(message.group(1))) {
            return;
        }
        place.handOver =
                new HandOver(Long.parseLong(message.group(3)), Long.parseLong(message.group(4)), listening.epoch());
        Runnable watcher = watchers.get(key);
        if (watcher != null) {
            watcher.run();
        }
    }
}
