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

/** Gives locks back by scripts. Safe to use from any thread. */
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
        this.scripts = LockScripts.of(node.isSharded());
        this.batches = batches;
        this.places = places;
        this.contended = contended;
        this.deletes = new ConditionalDelete(node);
    }

    /**
     * Gives a lock back, and the place of its claim among those who wait. Where somebody waited lately, the script that hands the lock over
     * comes first; otherwise it comes only if the word is not there, or is marked.
     */
    Release release(Claim claim) {
        String name = claim.name();
        long startNanos = env.nanoTime();
        if (!contended.contains(name) && deletes.ifEqual(keys.lock(name), LockWord.of(claim), claim.timeout())) {
            // Everybody who was refused and waits has marked the word.
            return new Release.Freed(false);
        }
        return handOver(SetNxPxProtocol.withTimeLeft(claim, startNanos, env));
    }

    /** Gives a lock back to the first of those who wait for it, if there are any. */
    Release handOver(Claim claim) {
        String channel = keys.channel(claim.name());
        boolean listens = node.isSubscribed(channel);
        List<?> answer = (List<?>) reply(node.call(script(claim), claim.timeout()));
        long state = (Long) reply(answer.get(0));
        if (state != 1) {
            return new Release.Lost(state == 0 ? LossCause.GONE : LossCause.TAKEN);
        }
        long others = (Long) reply(answer.get(1));
        if (others > 0 && listens && node.isSubscribed(channel)) {
            others--;
        }
        if (others == 0) {
            contended.remove(claim.name());
        } else {
            contended.add(claim.name());
        }
        return new Release.Freed(others != 0);
    }

    /** Gives many locks back, when the outcomes do not matter. */
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

    /** Returns what gives a claim back, whether or not somebody waits. */
    RedisCommand script(Claim claim) {
        return script(List.of(claim));
    }

    private RedisCommand script(List<Claim> claims) {
        List<String> touched = new ArrayList<>(3 * claims.size());
        List<String> args = new ArrayList<>(1 + 4 * claims.size());
        args.add(SetNxPxProtocol.FENCE_LIFE_MILLIS);
        for (Claim claim : claims) {
            String name = claim.name();
            touched.addAll(List.of(keys.lock(name), keys.fence(name), keys.waiting(name)));
            args.add(LockWord.of(claim));
            args.add(settings.wakeup() == Wakeup.POLL ? "" : keys.channel(name));
            boolean mayHavePlace = settings.queues() && claim.isWaiting();
            args.add(mayHavePlace ? places.beforeToken(claim) : "");
            args.add(mayHavePlace ? places.behindToken(claim, settings.fences(claim)) : "");
        }
        return RedisCommand.script(scripts.release(), touched, args);
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
