// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Sends scripts for many locks: one script for locks that may go together, and many scripts in one write. */
final class Batches {
    /**
     * The number of locks that one script, or the scripts of one write, renew or release; this keeps the server busy
     * for about a millisecond.
     */
    private static final int MOST = 256;

    private final RedisNode node;
    private final LockKeys keys;

    /**
     * The outcome of a script.
     *
     * @param reply the server's reply, or the failure
     * @param shortfall why its writes are not acknowledged as requested; empty if they are
     */
    record Answer(Reply reply, Optional<LockBackendException> shortfall) {
        /** Returns the value of the reply, or throws its failure. */
        Object value() {
            if (reply instanceof Reply.Value value && value.value() != null) {
                return value.value();
            }
            throw reply instanceof Reply.Failed failed
                    ? failed.cause()
                    : new LockBackendException(Reason.REFUSED, "a script of ours never answers nil");
        }
    }

    Batches(RedisNode node, LockKeys keys) {
        this.node = node;
        this.keys = keys;
    }

    /**
     * Sends the scripts of some claims, and passes on each reply with its claims. All claims belong to one server: if
     * it does not answer, the remaining scripts fail without being sent, since they would only wait in line.
     *
     * @param claims claims with one time-out
     * @param script makes the script for some of the claims
     * @param wanted the acknowledgement that is required; if there is one, each script is sent by itself
     * @param onAnswer called with the outcome of each script
     */
    void send(
            List<Claim> claims,
            Function<List<Claim>, RedisCommand> script,
            Acknowledgement wanted,
            BiConsumer<List<Claim>, Answer> onAnswer) {
        Deque<List<Claim>> left = new ArrayDeque<>(together(claims));
        while (!left.isEmpty()) {
            List<List<Claim>> round = nextRound(left);
            List<Answer> answers = call(
                    round.stream().map(script).toList(), wanted, claims.get(0).timeout());
            boolean answered = false;
            for (int i = 0; i < round.size(); i++) {
                List<Claim> group = round.get(i);
                Answer answer = answers.get(i);
                Collection<List<Claim>> parts = isRefused(answer.reply) ? together(group) : List.of();
                if (parts.size() > 1) {
                    // The server is in cluster mode, as its refusal has shown.
                    left.addAll(parts);
                    answered = true;
                } else {
                    onAnswer.accept(group, answer);
                    answered |= answer.reply instanceof Reply.Value || isRefused(answer.reply);
                }
            }
            if (!answered) {
                left.forEach(group -> onAnswer.accept(group, answers.get(0)));
                return;
            }
        }
    }

    private List<Answer> call(List<RedisCommand> scripts, Acknowledgement wanted, Duration within) {
        if (wanted.isWanted()) {
            return scripts.stream().map(script -> call(script, wanted, within)).toList();
        }
        return node.callEach(scripts, within).stream()
                .map(reply -> new Answer(reply, Optional.empty()))
                .toList();
    }

    private Answer call(RedisCommand script, Acknowledgement wanted, Duration within) {
        try {
            RedisNode.Acknowledged outcome = node.callAcknowledged(script, wanted.urgently(), within);
            return new Answer(new Reply.Value(outcome.reply()), outcome.shortfall());
        } catch (LockBackendException e) {
            return new Answer(new Reply.Failed(e), Optional.empty());
        }
    }

    private static boolean isRefused(Reply reply) {
        return reply instanceof Reply.Failed failed && failed.cause().reason() == Reason.REFUSED;
    }

    private static List<List<Claim>> nextRound(Deque<List<Claim>> left) {
        List<List<Claim>> round = new ArrayList<>();
        int locks = 0;
        while (!left.isEmpty() && (round.isEmpty() || locks + left.getFirst().size() <= MOST)) {
            locks += left.getFirst().size();
            round.add(left.removeFirst());
        }
        return round;
    }

    /** Divides claims into those that may go together in one script. */
    private Collection<List<Claim>> together(List<Claim> claims) {
        Map<Integer, List<Claim>> bySlot = new LinkedHashMap<>();
        claims.forEach(claim -> bySlot.computeIfAbsent(node.slot(keys.lock(claim.name())), slot -> new ArrayList<>())
                .add(claim));
        List<List<Claim>> groups = new ArrayList<>();
        for (List<Claim> sameSlot : bySlot.values()) {
            for (int from = 0; from < sameSlot.size(); from += MOST) {
                groups.add(sameSlot.subList(from, Math.min(from + MOST, sameSlot.size())));
            }
        }
        return groups;
    }
}
