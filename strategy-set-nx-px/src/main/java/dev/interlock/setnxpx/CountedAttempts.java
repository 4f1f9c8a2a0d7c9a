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
 * takes the lock, {@code INCRBY} draws its fencing tokens, and {@code EXISTS} tells whether others have waited for it
 * before.
 *
 * <p>The server may execute commands of other clients between these, and may refuse some of them. The token must be
 * drawn after the lock was taken; otherwise a later holder could have a smaller one. Safe to use from any thread.
 */
final class CountedAttempts {
    /** The bound of tokens: numbers in scripts are exact only below it. */
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

    /** The generation of the connections, and the time, read just before a request. */
    record Sending(long generation, long nanos) {}

    /** The result of an attempt. */
    enum State {
        /** The lock is held by the claim, with fencing tokens. */
        GRANTED,
        /** The lock is held by the claim, but its fencing tokens are not known to be new. */
        WITHOUT_TOKEN,
        /** The lock is held by the claim, but there are earlier waiters. */
        OVERTAKING,
        /** The lock was not taken: another claim holds it, or this claim does already, or the server has refused. */
        NOT_TAKEN,
        /** As {@link #NOT_TAKEN}; in addition the counter was lost, and now exists without an expiry. */
        COUNTER_MADE
    }

    /**
     * The result of an attempt.
     *
     * @param firstFence the first fencing token if the lock was granted
     */
    record Outcome(State state, long firstFence) {}

    /** Notes tokens that a script drew by the server's time. */
    void noteDraw(Claim claim, long firstFence, Sending sending) {
        if (node.generation(keys.lock(claim.name())) == sending.generation) {
            proofs.note(claim.name(), firstFence + claim.fences() - 1, sending.nanos, sending.generation);
        }
    }

    /** Returns the least value of the counter of a name if no data was lost, or -1 if it is not known. */
    long atLeast(Claim claim, Sending sending) {
        return proofs.atLeast(claim.name(), sending.generation, sending.nanos);
    }

    /**
     * Asks for a lock.
     *
     * @param atLeast the least value of the counter if no data was lost
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
            // Repeated attempts at a held lock must not draw tokens each time: the counter would run ahead of the
            // clock.
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
                // The claim may have overtaken waiters, so its release has to look for them.
                contended.add(name);
            }
            throw e;
        }
    }

    /** Sets an expiry on a counter that {@code INCRBY} has created. */
    void limitLife(Claim claim) {
        node.call(
                RedisCommand.of("PEXPIRE", keys.fence(claim.name()), SetNxPxProtocol.FENCE_LIFE_MILLIS),
                claim.timeout());
    }

    private static boolean isOk(Reply reply) {
        return "OK".equals(value(reply));
    }

    /** Returns the number in the server's reply, or -1 if the reply is no number. */
    private static long number(Reply reply) {
        return value(reply) instanceof Long number ? number : -1;
    }

    private static @Nullable Object value(Reply reply) {
        return reply instanceof Reply.Value told ? told.value() : null;
    }
}
