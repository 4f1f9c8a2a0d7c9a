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
    static final Duration LONGEST_HAND_OVER = Duration.ofSeconds(2);

    private static final Pattern MESSAGE = Pattern.compile("(\\p{XDigit}+) ((\\d+) (\\d+) (.+))", Pattern.DOTALL);

    private final Environment env;
    private final LockKeys keys;
    private final Channels channels;

    /**
     * By key of the lock, in the order in which they came. There is one of the thread that asks for the lock, and one
     * of each that waits for a condition.
     */
    private final Map<String, Map<Long, Place>> places = new ConcurrentHashMap<>();

    /** By number of the claim. */
    private final Map<Long, Place> numbered = new ConcurrentHashMap<>();

    private final AtomicLong came = new AtomicLong();

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

    /** The contents of a message: the lock was granted at this time of the server. */
    private record HandOver(long firstFence, long serverMicros, int epoch) {}

    private static final class Place {
        private final Claim claim;

        /** How many had come before it, and this one. */
        private final long order;

        /** To be run when something has happened that concerns it, unless that is left to whoever watches the lock. */
        private final @Nullable Runnable onChange;

        private volatile @Nullable Refusal refusal;

        /** The time at which the server first queued it, by the server's clock in µs; zero if it has not. */
        private volatile long since;

        private volatile @Nullable HandOver handOver;

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
        return " " + handOverLease(claim).toMillis() + " " + fences + " " + channel(claim);
    }

    /** The channel on which a claim learns of its turn. */
    String channel(Claim claim) {
        return channels.channel(claim.name());
    }

    /** The lease of a lock that a release grants to a waiting claim. */
    static Duration handOverLease(Claim claim) {
        return claim.lease().compareTo(LONGEST_HAND_OVER) < 0 ? claim.lease() : LONGEST_HAND_OVER;
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
     * Listens for what concerns a claim that is about to wait for a condition.
     *
     * @param onChange to be run when it was granted the lock, and when listening has begun or ended
     * @return the end of it, which gives the place up
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
        HandOver told = place == null ? null : place.handOver;
        // A message without a time says that the lock is free, and grants nothing.
        return told != null && told.serverMicros > 0;
    }

    boolean has(Claim claim) {
        return find(claim) != null;
    }

    private @Nullable Place find(Claim claim) {
        return numbered.isEmpty() ? null : numbered.get(claim.number());
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
     * @param since when it was, by the server's clock in µs; zero if it was not, because no message of this server
     *     would reach us
     */
    void refused(Claim claim, Moment before, long serverMicros, boolean entering, long since) {
        Place place = find(claim);
        ChannelState listening = channels.find(claim.name());
        if (place != null) {
            // A server whose messages do not reach this client sends none, so the age does not matter.
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
     * Returns the grant that a message has brought, if it is valid for a while yet; otherwise the waiter has to ask.
     */
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
     * Returns what is left of a validity. It began when the server granted the lock. By the server's clock that was
     * some time after the refusal; that time is taken, less the allowance for drift, and the moment is not later than
     * now. The wall clock shows whether the machine was suspended.
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
        Collection<Place> had = of(key);
        // Whoever asked before there was a place to be had, and whoever's turn came before this watch, would wait in
        // vain.
        if (listening.isBegun()
                && (had.stream().allMatch(place -> place.onChange != null)
                        || had.stream().anyMatch(place -> place.handOver != null))) {
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
        granted.get().handOver =
                new HandOver(Long.parseLong(message.group(3)), Long.parseLong(message.group(4)), listening.epoch());
        stir(granted.get());
        Runnable watcher = watchers.get(key);
        if (watcher != null) {
            watcher.run();
        }
    }
}
