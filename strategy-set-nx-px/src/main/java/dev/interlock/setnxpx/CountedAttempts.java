// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ContendedNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes locks by three plain commands in one write, which cost the server less than a script does: {@code SET NX PX}
 * takes the lock, {@code INCRBY} draws its fencing tokens, and {@code EXISTS} tells whether others wait for it, who
 * came before.
 *
 * <p>The server may carry out commands of others between these, and may refuse some of them. The token must be drawn
 * behind the lock, lest a later holder have a smaller one. Safe to use from any thread.
 */
final class CountedAttempts {
    /** More than any token may be: numbers of scripts are exact only up to here. */
    private static final long TOO_LARGE = 1L << 53;

    private final RedisNode node;
    private final LockKeys keys;
    private final ContendedNames contended;
    private final ScriptedReleases releases;
    private final CounterProofs proofs = new CounterProofs();

    CountedAttempts(RedisNode node, LockKeys keys, ContendedNames contended, ScriptedReleases releases) {
        this.node = node;
        this.keys = keys;
        this.contended = contended;
        this.releases = releases;
    }

    /** The generation of the connections, and the time, from just before a request. */
    record Sending(long generation, long nanos) {}

    /** How an attempt ended. */
    enum State {
        /** The lock is held by the claim, with fencing tokens. */
        GRANTED,
        /** The lock is held by the claim, without fencing tokens that are known to be new. */
        WITHOUT_TOKEN,
        /** The lock is held by the claim, but others have waited for it before. */
        OVERTAKING,
        /** The lock was not taken: somebody else holds it, or the claim does already, or the server has refused. */
        NOT_TAKEN,
        /** As {@link #NOT_TAKEN}; and the counter was lost, and is there anew without an end of its life. */
        COUNTER_MADE
    }

    /**
     * How an attempt ended.
     *
     * @param firstFence the first fencing token if the lock was granted
     */
    record Outcome(State state, long firstFence) {}

    /** Notes that the server's time was among the tokens that were drawn by a script. */
    void noteDraw(Claim claim, long firstFence, Sending sending) {
        if (node.generation(keys.lock(claim.name())) == sending.generation) {
            proofs.note(claim.name(), firstFence + claim.fences() - 1, sending.nanos, sending.generation);
        }
    }

    /** Returns what the counter of a name holds at least if it has lost nothing, or -1 if that is not known. */
    long atLeast(Claim claim, Sending sending) {
        return proofs.atLeast(claim.name(), sending.generation, sending.nanos);
    }

    /**
     * Asks for a lock.
     *
     * @param atLeast what its counter holds at least if it has lost nothing
     * @throws LockBackendException if it is not known whether the lock was taken, or nothing was sent
     */
    Outcome ask(Claim claim, Sending sending, long atLeast) {
        String name = claim.name();
        List<Reply> replies = send(claim);
        long counted = number(replies.get(1));
        boolean reliable = counted - claim.fences() >= atLeast
                && counted < TOO_LARGE
                && node.generation(keys.lock(name)) == sending.generation;
        if (!isOk(replies.get(0))) {
            // Whoever asks again and again for a held lock must not draw tokens each time: its counter would run ahead
            // of the clock.
            proofs.forget(name);
            boolean made = counted >= 0 && counted - claim.fences() < atLeast;
            return new Outcome(made ? State.COUNTER_MADE : State.NOT_TAKEN, 0);
        }
        if (number(replies.get(2)) != 0) {
            return new Outcome(State.OVERTAKING, 0);
        }
        return reliable
                ? new Outcome(State.GRANTED, counted - claim.fences() + 1)
                : new Outcome(State.WITHOUT_TOKEN, 0);
    }

    private List<Reply> send(Claim claim) {
        String name = claim.name();
        List<RedisCommand> commands = List.of(
                ScriptedAttempts.setIfAbsent(keys, claim),
                RedisCommand.of("INCRBY", keys.fence(name), Integer.toString(claim.fences())),
                RedisCommand.of("EXISTS", keys.waiting(name)));
        try {
            return node.callInOrder(commands, () -> releases.script(claim), claim.timeout());
        } catch (LockBackendException e) {
            if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                // It may have overtaken others, so that its release has to look for them.
                contended.add(name);
            }
            throw e;
        }
    }

    /** Lets a counter end that {@code INCRBY} has made anew. */
    void limitLife(Claim claim) {
        node.call(
                RedisCommand.of("PEXPIRE", keys.fence(claim.name()), SetNxPxProtocol.FENCE_LIFE_MILLIS),
                claim.timeout());
    }

    private static boolean isOk(Reply reply) {
        return "OK".equals(value(reply));
    }

    /** The number that the server has replied, or -1 if it is none. */
    private static long number(Reply reply) {
        return value(reply) instanceof Long number ? number : -1;
    }

    private static @Nullable Object value(Reply reply) {
        return reply instanceof Reply.Value told ? told.value() : null;
    }
}
