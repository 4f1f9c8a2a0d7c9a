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

/** Sends scripts for many locks: each script for those that may go together, and many scripts in one go. */
final class Batches {
    /** How many locks one script, or the scripts of one go, extend or release; that keeps the server busy for about a millisecond. */
    private static final int MOST = 256;

    private final RedisNode node;
    private final LockKeys keys;

    /**
     * What came of a script.
     *
     * @param reply the server's reply, or why there is none
     * @param shortfall why what it has written is not acknowledged as it was asked for; empty if it is
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
     * Sends what a number of claims ask for, and hands on each reply with the claims that it is about. All are about one server:
     * where it does not answer, what is left fails without being sent, since it would only wait in line.
     *
     * @param claims claims with one time-out
     * @param script makes the script for some of them
     * @param wanted what has to be acknowledged, for which each script goes by itself
     * @param onAnswer told of each script's outcome
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
                    // The server is in cluster mode, which only its refusal has told.
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
            RedisNode.Acknowledged outcome = node.callAcknowledged(script, wanted, within);
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
