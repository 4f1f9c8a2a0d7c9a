// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNode.Acknowledged;
import dev.interlock.redis.waiting.ContendedNames;
import dev.interlock.setnxpx.CountedAttempts.Outcome;
import dev.interlock.setnxpx.CountedAttempts.Sending;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Asks for locks by scripts. Safe to use from any thread. */
final class ScriptedAttempts {
    /** How often one attempt asks while those who are gone are being dropped from the list, a hundred at a time. */
    private static final int MOST_ROUNDS = 10;

    /** After how many ceilings whoever waits with a place asks again at the latest; see {@link LockConfig#waitCeiling()}. */
    private static final int MOST_CEILINGS = 10;

    /** Which part of its time-out an acquisition has for giving back what was not acknowledged. */
    private static final int SHARE_OF_TAKING_BACK = 4;

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Environment env;
    private final Duration listLife;
    private final LockScripts scripts;
    private final Places places;
    private final ContendedNames contended;
    private final ScriptedReleases releases;
    private final CountedAttempts counted;

    ScriptedAttempts(
            RedisNode node,
            LockKeys keys,
            Settings settings,
            LockConfig config,
            Environment env,
            Places places,
            ContendedNames contended,
            ScriptedReleases releases) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.env = env;
        // Whoever waits asks again before half of it is over, which keeps the list.
        this.listLife = config.waitCeiling().multipliedBy(2 * MOST_CEILINGS).plusMinutes(1);
        this.scripts = LockScripts.of(node.isSharded());
        this.places = places;
        this.contended = contended;
        this.releases = releases;
        this.counted = new CountedAttempts(node, keys, contended, releases);
    }

    /** Asks for a lock: as for one that nobody waits for, unless somebody did lately, and in full where that is not enough. */
    Attempt ask(Claim claim) {
        if (places.has(claim) || contended.contains(claim.name())) {
            return askInFull(claim);
        }
        return settings.fencing() ? take(claim) : set(claim);
    }

    /** A refusal is looked at again: asking twice with one claim must succeed, as a client that was handed in may repeat. */
    private Attempt set(Claim claim) {
        long startNanos = env.nanoTime();
        Acknowledged set = send(claim, setIfAbsent(keys, claim));
        return set.reply() == null
                ? askInFull(SetNxPxProtocol.withTimeLeft(claim, startNanos, env))
                : granted(claim, set, 0);
    }

    private Attempt take(Claim claim) {
        Sending sending = sending(claim);
        // An acknowledgement takes a connection of its own, and much longer than a script.
        long atLeast = settings.acknowledgement().isWanted() ? -1 : counted.atLeast(claim, sending);
        if (atLeast < 0) {
            return takeByScript(claim, sending);
        }
        Outcome outcome = counted.ask(claim, sending, atLeast);
        return switch (outcome.state()) {
            case GRANTED -> granted(claim, outcome.firstFence());
            case WITHOUT_TOKEN -> draw(rest(claim, sending));
            case OVERTAKING -> letPass(claim, sending);
            case NOT_TAKEN -> askInFull(rest(claim, sending));
            case COUNTER_MADE -> {
                counted.limitLife(rest(claim, sending));
                yield askInFull(rest(claim, sending));
            }
        };
    }

    private Attempt takeByScript(Claim claim, Sending sending) {
        String name = claim.name();
        RedisCommand script = RedisCommand.script(
                LockScripts.TAKE,
                List.of(keys.lock(name), keys.fence(name), keys.waiting(name)),
                List.of(
                        LockWord.of(claim),
                        SetNxPxProtocol.millis(claim.lease()),
                        Integer.toString(claim.fences()),
                        SetNxPxProtocol.FENCE_LIFE_MILLIS));
        Acknowledged taken = send(claim, script);
        long first = (Long) reply(taken.reply());
        if (first == 0 && !claim.isWaiting()) {
            return new Attempt.Refused(Optional.empty());
        }
        if (first <= 0) {
            return askInFull(rest(claim, sending));
        }
        counted.noteDraw(claim, first, sending);
        return granted(claim, taken, first);
    }

    private Sending sending(Claim claim) {
        return new Sending(node.generation(keys.lock(claim.name())), env.nanoTime());
    }

    private Claim rest(Claim claim, Sending sending) {
        return SetNxPxProtocol.withTimeLeft(claim, sending.nanos(), env);
    }

    /** Draws a token by the server's time for a claim that holds the lock. */
    private Attempt draw(Claim claim) {
        try {
            return askInFull(claim);
        } catch (LockBackendException e) {
            if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                throw e;
            }
            // Its release has to look at the counter too, which may have been made anew.
            contended.add(claim.name());
            return takeBack(claim, e);
        }
    }

    /** Hands a lock over that was taken before others who wait for it, and asks for it behind them. */
    private Attempt letPass(Claim claim, Sending sending) {
        // Whatever else gives it back has to hand it over as well.
        contended.add(claim.name());
        try {
            releases.handOver(rest(claim, sending));
        } catch (LockBackendException e) {
            throw new LockBackendException(Reason.OUTCOME_UNKNOWN, String.valueOf(e.getMessage()), e);
        }
        return askInFull(rest(claim, sending));
    }

    private Attempt askInFull(Claim claim) {
        boolean enters = settings.queues() && places.mayEnter(claim);
        if (enters) {
            places.enter(claim);
        }
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Places.Moment before = places.now(claim);
            Sending sending = sending(claim);
            Acknowledged asked = send(claim, acquireScript(claim, enters));
            List<?> answer = (List<?>) reply(asked.reply());
            long state = (Long) reply(answer.get(0));
            long number = (Long) reply(answer.get(1));
            if (state == 1) {
                places.leave(claim);
                if (number > 0) {
                    counted.noteDraw(claim, number, sending);
                }
                return granted(claim, asked, number);
            }
            if (state == 0) {
                places.refused(claim, before, (Long) reply(answer.get(2)), enters, (Long) reply(answer.get(3)));
                if (claim.isWaiting()) {
                    contended.add(claim.name());
                }
                // A negative time to live says that the key has none, or has just gone: then the clock is nothing to
                // wait for.
                return new Attempt.Refused(
                        Optional.of(number).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
            }
        }
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    /** Sends what takes a lock, and has it acknowledged if the options ask for that. */
    private Acknowledged send(Claim claim, RedisCommand command) {
        return settings.acknowledgement().isWanted()
                ? node.callAcknowledged(command, settings.acknowledgement(), claim.timeout())
                : new Acknowledged(
                        node.callOrUndo(command, () -> releases.script(claim), claim.timeout()), Optional.empty());
    }

    private Attempt granted(Claim claim, Acknowledged answer, long firstFence) {
        return answer.shortfall()
                .map(shortfall -> takeBack(claim, shortfall))
                .orElseGet(() -> granted(claim, firstFence));
    }

    private static Attempt granted(Claim claim, long firstFence) {
        return new Attempt.Granted(
                SetNxPxProtocol.validity(claim.lease()),
                firstFence == 0 ? OptionalLong.empty() : OptionalLong.of(firstFence));
    }

    /** Gives a lock back that too few have acknowledged, or for which there is no token. */
    private Attempt takeBack(Claim claim, LockBackendException cause) {
        Reason reason = cause.reason();
        try {
            // Less than this is left of the time-out.
            places.leave(claim);
            releases.release(claim.withTimeout(claim.timeout().dividedBy(SHARE_OF_TAKING_BACK)));
        } catch (LockBackendException e) {
            // The engine tries again later.
            reason = Reason.OUTCOME_UNKNOWN;
        }
        return new Attempt.Failed(new LockBackendException(
                reason, "lock \"" + claim.name() + "\" was granted and is given back: " + cause.getMessage(), cause));
    }

    private RedisCommand acquireScript(Claim claim, boolean enters) {
        String name = claim.name();
        return RedisCommand.script(
                scripts.acquire(),
                List.of(keys.lock(name), keys.fence(name), keys.waiting(name)),
                List.of(
                        claim.token(),
                        SetNxPxProtocol.millis(claim.lease()),
                        Integer.toString(settings.fences(claim)),
                        SetNxPxProtocol.FENCE_LIFE_MILLIS,
                        claim.isWaiting() ? "1" : "0",
                        Long.toString(claim.number()),
                        SetNxPxProtocol.millis(Places.handOverLease(claim)),
                        settings.queues() ? places.channel(claim) : "",
                        enters ? SetNxPxProtocol.millis(listLife) : "0",
                        Long.toString(places.since(claim))));
    }

    static RedisCommand setIfAbsent(LockKeys keys, Claim claim) {
        return RedisCommand.of(
                "SET", keys.lock(claim.name()), LockWord.of(claim), "NX", "PX", SetNxPxProtocol.millis(claim.lease()));
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
