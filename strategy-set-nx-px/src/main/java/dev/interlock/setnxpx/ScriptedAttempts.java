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
    /** How often one attempt asks while dead waiters are removed from the list, a hundred at a time. */
    private static final int MOST_ROUNDS = 10;

    /**
     * A waiter with a place asks again after this many wait ceilings at the latest; see {@link
     * LockConfig#waitCeiling()}.
     */
    private static final int MOST_CEILINGS = 5;

    /**
     * The fraction of its time-out, as a divisor, that an acquisition reserves for the release of a lock that was not
     * acknowledged.
     */
    private static final int SHARE_OF_TAKING_BACK = 4;

    /**
     * The longest pause in which a waiter asks again while a foreign holder has the lock: about as often as such
     * clients ask themselves.
     */
    private static final Duration FOREIGN_POLL = Duration.ofMillis(100);

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
        this.listLife = listLife(config);
        this.scripts = LockScripts.of(settings.wire(), node.isSharded());
        this.places = places;
        this.contended = contended;
        this.releases = releases;
        this.counted = new CountedAttempts(node, keys, contended, releases);
    }

    /** The life of a list of waiters. Waiters ask again before half of it is over, which keeps the list. */
    static Duration listLife(LockConfig config) {
        return config.waitCeiling().multipliedBy(2 * MOST_CEILINGS).plusMinutes(1);
    }

    /**
     * Asks for a lock. Uses the cheap commands for a lock without waiters, unless there were some lately, and the full
     * script if those commands are not enough.
     */
    Attempt ask(Claim claim) {
        if (places.has(claim) || contended.contains(claim.name())) {
            return askInFull(claim);
        }
        return settings.fencing() ? take(claim) : set(claim);
    }

    /**
     * Checks a refusal: asking twice with one claim must succeed, since a client that was handed in may repeat a
     * request.
     */
    private Attempt set(Claim claim) {
        long startNanos = env.nanoTime();
        Acknowledged set = send(claim, setIfAbsent(keys, claim));
        return set.reply() == null
                ? askInFull(SetNxPxProtocol.withTimeLeft(claim, startNanos, env))
                : granted(claim, set, 0);
    }

    private Attempt take(Claim claim) {
        Sending sending = sending(claim);
        // Waiting for an acknowledgement takes a connection of its own, and much longer than a script.
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
            // The release must check the counter too, which may have been created anew.
            contended.add(claim.name());
            return takeBack(claim, e);
        }
    }

    /** Hands over a lock that was taken ahead of earlier waiters, and asks for it again behind them. */
    private Attempt letPass(Claim claim, Sending sending) {
        // Any other release of this claim must hand the lock over as well.
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
                // A negative time to live says that the key has no expiry, or has just gone: then there is no time to
                // wait for.
                Optional<Duration> left =
                        Optional.of(number).filter(ttl -> ttl >= 0).map(Duration::ofMillis);
                boolean foreign = settings.wire().isPlain() && (Long) reply(answer.get(4)) == 1;
                return new Attempt.Refused(foreign ? Optional.of(untilNextPoll(left)) : left);
            }
        }
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    /**
     * Returns when to ask again for a lock whose foreign holder announces no release: soon, and at the end of its lease
     * at the latest.
     */
    private Duration untilNextPoll(Optional<Duration> left) {
        Duration poll = FOREIGN_POLL.minusNanos(env.nextLong(FOREIGN_POLL.toNanos() / 2));
        return left.filter(it -> it.compareTo(poll) < 0).orElse(poll);
    }

    /** Sends the command that takes a lock, and waits for the acknowledgement if the options require one. */
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

    /** Releases a lock that too few replicas have acknowledged, or for which there is no token. */
    private Attempt takeBack(Claim claim, LockBackendException cause) {
        Reason reason = cause.reason();
        try {
            // The acknowledgement was waited for during three quarters of the time-out, so no more than a quarter is
            // left.
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
                        places.numberInList(claim),
                        SetNxPxProtocol.millis(places.handOffLease(claim)),
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
