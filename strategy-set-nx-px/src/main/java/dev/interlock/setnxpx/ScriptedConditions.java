// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ContendedNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the waiters of each condition in a list, from which a signal moves them to the waiters of the lock. A release
 * then grants them the lock by a message, as it does all others. A waiter that sees the lease of a holder end is woken:
 * that holder may have died before it signalled. Safe to use from any thread.
 */
final class ScriptedConditions implements ConditionProtocol {
    private static final String ALL = Integer.toString(Integer.MAX_VALUE);

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Places places;
    private final ContendedNames contended;
    private final ScriptedReleases releases;
    private final LockScripts scripts;
    private final String listLife;

    /** The holder that each waiter has seen in its last look, by the number of the waiter. */
    private final Map<Long, Sighting> sightings = new ConcurrentHashMap<>();

    ScriptedConditions(
            RedisNode node,
            LockKeys keys,
            Settings settings,
            LockConfig config,
            Places places,
            ContendedNames contended,
            ScriptedReleases releases) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.places = places;
        this.contended = contended;
        this.releases = releases;
        this.scripts = LockScripts.of(settings.wire(), node.isSharded());
        this.listLife = SetNxPxProtocol.millis(ScriptedAttempts.listLife(config));
    }

    /**
     * A holder that a waiter has seen, by the clock of the server, on which its lease ends.
     *
     * @param word what the lock held, without a mark
     * @param firstMicros when the waiter first saw it with the lease that it had then
     * @param lastMicros when the waiter last saw it with that lease
     * @param endMicros when that lease ends
     */
    record Sighting(String word, long firstMicros, long lastMicros, long endMicros) {
        /** By how much the end of a lease may seem to be another one: the life of a key is told in milliseconds. */
        private static final long SLACK_MICROS = TimeUnit.MILLISECONDS.toMicros(10);

        static Sighting first(String word, long nowMicros, long endMicros) {
            return new Sighting(word, nowMicros, nowMicros, endMicros);
        }

        /** Returns what is known after the waiter has seen the holder again, which may have renewed its lease. */
        Sighting again(long nowMicros, long newEndMicros) {
            boolean renewed = newEndMicros - endMicros >= SLACK_MICROS;
            return renewed
                    ? first(word, nowMicros, newEndMicros)
                    : new Sighting(word, firstMicros, nowMicros, endMicros);
        }

        /**
         * Returns whether a holder that is gone let its lease end. A holder that lives renews long before half of what
         * is left has passed, so that one which did not, and is gone when its lease is over, has hardly released.
         */
        boolean isExpired(long nowMicros) {
            return nowMicros - endMicros >= -SLACK_MICROS && (lastMicros - firstMicros) * 2 >= endMicros - firstMicros;
        }
    }

    @Override
    public Watch listen(Claim waiter, Runnable onChange) {
        Watch watch = places.listen(waiter, onChange);
        return new Watch() {
            @Override
            public boolean isListening() {
                return watch.isListening();
            }

            @Override
            public void close() {
                sightings.remove(waiter.number());
                watch.close();
            }
        };
    }

    @Override
    public boolean isTold(Claim waiter) {
        return places.isGranted(waiter);
    }

    @Override
    public Release await(Claim held, Claim waiter, boolean releasing) {
        List<String> touched = new ArrayList<>(releases.keys(held));
        touched.add(keys.condition(waiter.name(), condition(waiter)));
        List<String> args = new ArrayList<>();
        args.add(SetNxPxProtocol.FENCE_LIFE_MILLIS);
        args.addAll(releases.args(held));
        args.addAll(List.of(entry(waiter), places.channel(waiter), listLife, releasing ? "1" : "0"));
        boolean listens = node.isSubscribed(keys.channel(held.name()));
        Places.Moment before = places.now(waiter);
        List<?> answer =
                (List<?>) reply(node.call(RedisCommand.script(scripts.await(), touched, args), held.timeout()));
        Release outcome = releases.outcome(held, answer, listens);
        if (outcome instanceof Release.Freed) {
            note(waiter, before, answer, 2);
        }
        return outcome;
    }

    /**
     * Notes the server's time in an answer, which tells the age of a grant that follows it, and whether a message would
     * reach the waiter.
     */
    private void note(Claim waiter, Places.Moment before, List<?> answer, int at) {
        long serverMicros = (Long) reply(answer.get(at));
        boolean reached = (Long) reply(answer.get(at + 1)) == 1;
        places.refused(waiter, before, serverMicros, true, reached ? serverMicros : 0);
    }

    @Override
    public Place look(Claim waiter) {
        List<?> answer = ask(
                waiter,
                scripts.lookWaiter(),
                List.of(
                        LockWord.of(waiter),
                        entry(waiter),
                        listLife,
                        SetNxPxProtocol.FENCE_LIFE_MILLIS,
                        places.channel(waiter)));
        Place place = place(answer);
        boolean expired = hasExpired(
                waiter, (Long) reply(answer.get(1)), reply(answer.get(3)).toString(), (Long) reply(answer.get(4)));
        if (place != Place.WAITING || !expired) {
            return place;
        }
        return leave(waiter, false) == Place.SIGNALLED ? Place.SIGNALLED : Place.GONE;
    }

    /**
     * Returns whether whoever held the lock when the waiter last looked has let its lease end; if not, notes who holds
     * the lock now.
     *
     * @param now the time of the server, in microseconds
     * @param word what the lock holds
     * @param leftMillis for how long yet, or less than zero if nobody holds it or nothing ends it
     */
    private boolean hasExpired(Claim waiter, long now, String word, long leftMillis) {
        long end = now + TimeUnit.MILLISECONDS.toMicros(leftMillis);
        String holder = LockWord.unmarked(word);
        Sighting before = sightings.get(waiter.number());
        if (before != null && !before.word.equals(holder) && before.isExpired(now)) {
            return true;
        }
        if (leftMillis < 0) {
            sightings.remove(waiter.number());
        } else {
            sightings.put(
                    waiter.number(),
                    before != null && before.word.equals(holder)
                            ? before.again(now, end)
                            : Sighting.first(holder, now, end));
        }
        return false;
    }

    @Override
    public Place leave(Claim waiter, boolean passesOn) {
        return place(ask(
                waiter, scripts.leave(), List.of(LockWord.of(waiter), entry(waiter), listLife, passesOn ? "1" : "0")));
    }

    /** Runs a script whose answer begins with where the waiter stands, the server's time and its reach. */
    private List<?> ask(Claim waiter, LuaScript script, List<String> args) {
        String name = waiter.name();
        List<String> touched = List.of(
                keys.lock(name),
                keys.fence(name),
                keys.waiting(name),
                keys.condition(name, condition(waiter)),
                keys.signals(name, condition(waiter)));
        Places.Moment before = places.now(waiter);
        List<?> answer = (List<?>) reply(node.call(RedisCommand.script(script, touched, args), waiter.timeout()));
        note(waiter, before, answer, 1);
        return answer;
    }

    private static Place place(List<?> answer) {
        long state = (Long) reply(answer.get(0));
        if (state == 1) {
            return Place.WAITING;
        }
        return state == 2 ? Place.SIGNALLED : Place.GONE;
    }

    @Override
    public void adopt(Claim held, Claim waiter) {
        Claim arrived = waiter.withHeld(true);
        List<String> touched = new ArrayList<>(releases.keys(arrived));
        touched.add(held.condition()
                .map(condition -> keys.signals(held.name(), condition))
                .orElse(keys.waiting(held.name())));
        List<String> args = new ArrayList<>();
        args.add(SetNxPxProtocol.FENCE_LIFE_MILLIS);
        args.addAll(releases.args(arrived));
        args.add(entry(held.withCondition(condition(waiter))));
        args.add(held.condition().isPresent() ? entry(held) : "");
        node.call(RedisCommand.script(scripts.adopt(), touched, args), waiter.timeout());
    }

    @Override
    public Optional<LossCause> signal(Claim held, String condition, boolean all) {
        String name = held.name();
        RedisCommand script = RedisCommand.script(
                scripts.signal(),
                List.of(
                        keys.lock(name),
                        keys.waiting(name),
                        keys.condition(name, condition),
                        keys.signals(name, condition)),
                List.of(LockWord.of(held), all ? ALL : "1", listLife));
        // A signalled waiter waits for the lock, so that the next release has to look at the waiters.
        contended.add(name);
        long state;
        do {
            state = (Long) reply(node.call(script, held.timeout()));
        } while (state == 2);
        return state == 1 ? Optional.empty() : Optional.of(state == 0 ? LossCause.GONE : LossCause.TAKEN);
    }

    private static String condition(Claim waiter) {
        return waiter.condition().orElseThrow();
    }

    private String entry(Claim waiter) {
        return places.beforeToken(waiter) + waiter.token() + places.behindToken(waiter, settings.fences(waiter));
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
