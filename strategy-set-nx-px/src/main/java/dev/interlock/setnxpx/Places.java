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
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The places of one client in the queues of locks, and the channels on which it learns of its turn.
 *
 * <p>The client subscribes when it first waits and stays subscribed, so that later waits cost no subscription. Safe to
 * use from any thread.
 */
final class Places {
    /** The longest lease of a lock that is granted to a waiter which may not be alive any more. */
    static final Duration LONGEST_HAND_OFF = Duration.ofSeconds(2);

    private static final Pattern MESSAGE = Pattern.compile("(\\p{XDigit}+) ((\\d+) (\\d+) (.+))", Pattern.DOTALL);

    private final Environment env;
    private final LockKeys keys;
    private final Duration longestHandOff;
    private final Channels channels;

    /**
     * The places by the key of the lock, in the order in which they came. The thread that asks for the lock has one,
     * and each thread that waits for a condition.
     */
    private final Map<String, Map<Long, Place>> places = new ConcurrentHashMap<>();

    /** The places by the number of the claim. */
    private final Map<Long, Place> numbered = new ConcurrentHashMap<>();

    private final AtomicLong came = new AtomicLong();

    private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();

    Places(Environment env, RedisNode node, LockKeys keys, Duration longestHandOff) {
        this.env = env;
        this.keys = keys;
        this.longestHandOff = longestHandOff;
        this.channels = new Channels(env, node, keys, this::wake, this::take);
    }

    /** A moment before a request was sent, on both clocks of this machine, and the subscription at that moment. */
    record Moment(long nanos, long wallMillis, int epoch) {}

    /** A refusal: a moment before it, and the server's time in it. */
    private record Refusal(Moment before, long serverMicros) {}

    /**
     * The contents of a message that grants the lock: the first fencing token, and the time of the grant by the
     * server's clock.
     */
    private record GrantMessage(long firstFence, long serverMicros, int epoch) {}

    private static final class Place {
        private final Claim claim;

        /** The number of this place in the order of arrival. */
        private final long order;

        /**
         * Run when something has happened that concerns this place; {@code null} if the watchers of the lock are told
         * instead.
         */
        private final @Nullable Runnable onChange;

        private volatile @Nullable Refusal refusal;

        /** The time at which the server first queued it, by the server's clock in µs; zero if it has not. */
        private volatile long since;

        private volatile @Nullable GrantMessage grantMessage;

        Place(Claim claim, long order, @Nullable Runnable onChange) {
            this.claim = claim;
            this.order = order;
            this.onChange = onChange;
        }
    }

    /** Returns the moment before a claim is sent. */
    Moment now(Claim claim) {
        ChannelState listening = claim.isWaiting() ? channels.find(claim.name()) : null;
        return new Moment(env.nanoTime(), env.currentTimeMillis(), listening == null ? 0 : listening.epoch());
    }

    /** The part before the token of a claim's entry in the list, the same each time. */
    String beforeToken(Claim claim) {
        return numberInList(claim) + " ";
    }

    /** The number of a claim in its entry in the list, which also tells for which condition it has waited. */
    String numberInList(Claim claim) {
        return claim.number()
                + claim.condition()
                        .map(condition -> "@" + LockKeys.encode(condition))
                        .orElse("");
    }

    /** The part after the token of a claim's entry in the list, the same each time. */
    String behindToken(Claim claim, int fences) {
        return " " + handOffLease(claim).toMillis() + " " + fences + " " + channel(claim);
    }

    /** The channel on which a claim learns of its turn. */
    String channel(Claim claim) {
        return channels.channel(claim.name());
    }

    /** The lease of a lock that a release grants to a waiting claim. */
    Duration handOffLease(Claim claim) {
        return claim.lease().compareTo(longestHandOff) < 0 ? claim.lease() : longestHandOff;
    }

    /** Returns whether a claim may enter the list: only if messages reach this client. */
    boolean mayEnter(Claim claim) {
        if (!claim.isWaiting()) {
            return false;
        }
        ChannelState listening = channels.find(claim.name());
        return listening != null && listening.isBegun();
    }

    /** Notes that a claim is about to enter the list. Its turn may come before the answer. */
    void enter(Claim claim) {
        if (find(claim) == null) {
            put(claim, null);
        }
    }

    private void put(Claim claim, @Nullable Runnable onChange) {
        leave(claim);
        Place place = new Place(claim, came.incrementAndGet(), onChange);
        numbered.put(claim.number(), place);
        places.compute(keys.lock(claim.name()), (key, had) -> {
            Map<Long, Place> all = had == null ? new ConcurrentSkipListMap<>() : had;
            all.put(place.order, place);
            return all;
        });
    }

    private Collection<Place> of(String key) {
        return places.getOrDefault(key, Map.of()).values();
    }

    /**
     * Listens for messages to a claim that is about to wait for a condition.
     *
     * @param onChange run when the claim was granted the lock, and when listening has begun or ended
     * @return the watch, whose end gives the place up
     */
    Watch listen(Claim waiter, Runnable onChange) {
        put(waiter, onChange);
        ChannelState listening = channels.enter(waiter.name());
        AtomicBoolean closed = new AtomicBoolean();
        return new Watch() {
            @Override
            public boolean isListening() {
                return listening.isBegun();
            }

            @Override
            public void close() {
                if (!closed.getAndSet(true)) {
                    leave(waiter);
                    channels.leave(waiter.name());
                }
            }
        };
    }

    /** Returns whether a message has granted the lock to a claim. */
    boolean isGranted(Claim claim) {
        Place place = find(claim);
        GrantMessage told = place == null ? null : place.grantMessage;
        // A message without a time says that the lock is free, and grants nothing.
        return told != null && told.serverMicros > 0;
    }

    boolean has(Claim claim) {
        return find(claim) != null;
    }

    private @Nullable Place find(Claim claim) {
        return numbered.isEmpty() ? null : numbered.get(claim.number());
    }

    /** Returns since when a claim has its place, by the server's clock in µs; zero if it has none. */
    long since(Claim claim) {
        Place place = find(claim);
        return place == null ? 0 : place.since;
    }

    /**
     * Notes a refusal.
     *
     * @param entering whether the claim was to be entered in the list
     * @param since when it was, by the server's clock in µs; zero if it was not, because no message of this server
     *     would reach us
     */
    void refused(Claim claim, Moment before, long serverMicros, boolean entering, long since) {
        Place place = find(claim);
        ChannelState listening = channels.find(claim.name());
        if (place != null) {
            // A server whose messages do not reach this client grants nothing by message, so the refusal is not needed.
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
        Place place = numbered.isEmpty() ? null : numbered.remove(claim.number());
        if (place != null) {
            places.computeIfPresent(keys.lock(claim.name()), (key, all) -> {
                all.remove(place.order);
                return all.isEmpty() ? null : all;
            });
        }
    }

    /**
     * Returns the grant that a message has brought, if it stays valid for a while; otherwise the waiter has to ask.
     */
    Optional<Attempt> takeGrant(Claim claim) {
        Place place = find(claim);
        GrantMessage grantMessage = place == null ? null : place.grantMessage;
        if (place == null || grantMessage == null) {
            return Optional.empty();
        }
        place.grantMessage = null;
        Refusal refusal = place.refusal;
        Duration lease = handOffLease(claim);
        // A refusal after the message shows that its grant is over.
        if (refusal == null
                || refusal.before.epoch != grantMessage.epoch
                || grantMessage.serverMicros < refusal.serverMicros
                || (!claim.isRenewed() && lease.compareTo(claim.lease()) < 0)) {
            return Optional.empty();
        }
        Duration left = left(refusal, grantMessage, SetNxPxProtocol.validity(lease));
        if (left.compareTo(lease.dividedBy(2)) < 0) {
            return Optional.empty();
        }
        leave(claim);
        return Optional.of(new Attempt.Granted(
                left, grantMessage.firstFence == 0 ? OptionalLong.empty() : OptionalLong.of(grantMessage.firstFence)));
    }

    /**
     * Returns what is left of a validity, which began when the server granted the lock. By the server's clock that was
     * some time after the refusal. The begin here is the moment before the refusal plus that time, less the allowance
     * for drift, and is not later than now. The wall clock shows whether the machine was suspended.
     */
    private Duration left(Refusal refusal, GrantMessage grantMessage, Duration validity) {
        Duration between = Duration.of(grantMessage.serverMicros - refusal.serverMicros, ChronoUnit.MICROS);
        long sinceRefusal = env.nanoTime() - refusal.before.nanos;
        long atLeast = between.minus(between.dividedBy(100)).toNanos();
        Duration monotonic = validity.minusNanos(Math.max(0, sinceRefusal - atLeast));
        Duration wall = validity.plus(between).minusMillis(env.currentTimeMillis() - refusal.before.wallMillis);
        return monotonic.compareTo(wall) < 0 ? monotonic : wall;
    }

    /** Forgets a grant that a message has brought, since the waiter asks in any case. */
    void forgetGrant(Claim claim) {
        Place place = find(claim);
        if (place != null) {
            place.grantMessage = null;
        }
    }

    Watch watch(String name, Runnable onFreed) {
        String key = keys.lock(name);
        watchers.put(key, onFreed);
        ChannelState listening = channels.enter(name);
        Collection<Place> had = of(key);
        // A waiter that asked before it could get a place would wait in vain, and so would one whose turn came before
        // this watch.
        if (listening.isBegun()
                && (had.stream().allMatch(place -> place.onChange != null)
                        || had.stream().anyMatch(place -> place.grantMessage != null))) {
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

    /** Makes the waiters of one lock, or of all, ask again. */
    private void wake(String name) {
        if (name.isEmpty()) {
            watchers.values().forEach(Runnable::run);
            numbered.values().forEach(Places::stir);
            return;
        }
        of(keys.lock(name)).forEach(Places::stir);
        Runnable watcher = watchers.get(keys.lock(name));
        if (watcher != null) {
            watcher.run();
        }
    }

    private static void stir(Place place) {
        if (place.onChange != null) {
            place.onChange.run();
        }
    }

    private void take(ChannelState listening, String text) {
        Matcher message = MESSAGE.matcher(text);
        if (!message.matches()) {
            return;
        }
        String key = message.group(5);
        Optional<Place> granted = of(key).stream()
                .filter(place -> WaitingScripts.proof(place.claim.token(), message.group(2))
                        .equals(message.group(1)))
                .findFirst();
        if (granted.isEmpty()) {
            return;
        }
        granted.get().grantMessage =
                new GrantMessage(Long.parseLong(message.group(3)), Long.parseLong(message.group(4)), listening.epoch());
        stir(granted.get());
        Runnable watcher = watchers.get(key);
        if (watcher != null) {
            watcher.run();
        }
    }
}
