// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ContendedNames;
import dev.interlock.setnxpx.Settings.Wakeup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Releases locks by scripts. Safe to use from any thread. */
final class ScriptedReleases {
    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Environment env;
    private final LockScripts scripts;
    private final Batches batches;
    private final Places places;
    private final ContendedNames contended;
    private final ConditionalDelete deletes;

    ScriptedReleases(
            RedisNode node,
            LockKeys keys,
            Settings settings,
            Environment env,
            Batches batches,
            Places places,
            ContendedNames contended) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.env = env;
        this.scripts = LockScripts.of(settings.wire(), node.isSharded());
        this.batches = batches;
        this.places = places;
        this.contended = contended;
        this.deletes = new ConditionalDelete(node, scripts.freeUnwaited());
    }

    /**
     * Releases a lock, and the place of its claim in the queue. If somebody waited lately, the script that hands the
     * lock over is sent first; otherwise only if the word is missing or marked.
     */
    Release release(Claim claim) {
        String name = claim.name();
        long startNanos = env.nanoTime();
        // The script also notes that a signal has arrived.
        if (!contended.contains(name) && claim.condition().isEmpty() && freeUnlessAwaited(claim)) {
            return new Release.Freed(false);
        }
        return handOver(SetNxPxProtocol.withTimeLeft(claim, startNanos, env));
    }

    /**
     * Frees the lock unless somebody waits for it. A refused waiter has marked the word or, where words have no mark,
     * is in the list.
     */
    private boolean freeUnlessAwaited(Claim claim) {
        String key = keys.lock(claim.name());
        return settings.wire().isPlain()
                ? deletes.ifEqualAndAbsent(key, LockWord.of(claim), keys.waiting(claim.name()), claim.timeout())
                : deletes.ifEqual(key, LockWord.of(claim), claim.timeout());
    }

    /** Hands a lock over to its first waiter, or frees it if there is none. */
    Release handOver(Claim claim) {
        boolean listens = node.isSubscribed(keys.channel(claim.name()));
        return outcome(claim, (List<?>) reply(node.call(script(claim), claim.timeout())), listens);
    }

    /** Hands locks of one slot over, each to its first waiter, or frees it if there is none. */
    List<Release> together(List<Claim> claims) {
        List<Boolean> listens = claims.stream()
                .map(claim -> node.isSubscribed(keys.channel(claim.name())))
                .toList();
        List<?> answer = (List<?>) reply(node.call(script(claims), claims.get(0).timeout()));
        List<Release> outcomes = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            outcomes.add(outcome(claims.get(i), answer.subList(2 * i, 2 * i + 2), listens.get(i)));
        }
        return outcomes;
    }

    /**
     * Returns the outcome of a script that has released a lock.
     *
     * @param listens whether this client listened to the releases of the lock when the script was sent
     */
    Release outcome(Claim claim, List<?> answer, boolean listens) {
        long state = (Long) reply(answer.get(0));
        if (state != 1) {
            return new Release.Lost(state == 0 ? LossCause.GONE : LossCause.TAKEN);
        }
        long others = (Long) reply(answer.get(1));
        if (others > 0 && listens && node.isSubscribed(keys.channel(claim.name()))) {
            others--;
        }
        if (others == 0) {
            contended.remove(claim.name());
        } else {
            contended.add(claim.name());
        }
        return new Release.Freed(others != 0);
    }

    /** Releases many locks whose outcomes do not matter. */
    void releaseAll(List<Claim> claims) {
        List<LockBackendException> failures = new ArrayList<>();
        batches.send(claims, this::script, Acknowledgement.NONE, (group, answer) -> {
            if (answer.reply() instanceof RedisLink.Reply.Failed failed) {
                failures.add(failed.cause());
            }
        });
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Returns the command that releases a claim, whether or not somebody waits. */
    RedisCommand script(Claim claim) {
        return script(List.of(claim));
    }

    /** Returns the command that releases claims that may go together. */
    RedisCommand script(List<Claim> claims) {
        List<String> touched = new ArrayList<>(4 * claims.size());
        List<String> args = new ArrayList<>(1 + 4 * claims.size());
        args.add(SetNxPxProtocol.FENCE_LIFE_MILLIS);
        for (Claim claim : claims) {
            touched.addAll(keys(claim));
            args.addAll(args(claim));
        }
        return RedisCommand.script(scripts.release(), touched, args);
    }

    /**
     * Returns the keys of a release: the lock, its fence, its waiters, and the signals of the claim's condition, if the
     * release confirms the signal.
     */
    List<String> keys(Claim claim) {
        String name = claim.name();
        String waiting = keys.waiting(name);
        String signals = claim.condition()
                .filter(condition -> claim.isHeld())
                .map(condition -> keys.signals(name, condition))
                .orElse(waiting);
        return List.of(keys.lock(name), keys.fence(name), waiting, signals);
    }

    /** Returns the arguments of a release, after the life of the fence. */
    List<String> args(Claim claim) {
        boolean mayHaveEntry =
                settings.queues() && (claim.isWaiting() || claim.condition().isPresent());
        return List.of(
                LockWord.of(claim),
                settings.wakeup() == Wakeup.POLL ? "" : keys.channel(claim.name()),
                mayHaveEntry ? places.beforeToken(claim) : "",
                mayHaveEntry ? places.behindToken(claim, settings.fences(claim)) : "");
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
