// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Sends scripts for many locks: each script for those that may go together, and many scripts in one go. */
final class Batches {
    /** How many locks one script, or the scripts of one go, extend or release; that keeps the server busy for about a millisecond. */
    private static final int MOST = 256;

    private final RedisNode node;
    private final LockKeys keys;

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
     * @param onReply told of each script's reply
     */
    void send(List<Claim> claims, Function<List<Claim>, RedisCommand> script, BiConsumer<List<Claim>, Reply> onReply) {
        Deque<List<Claim>> left = new ArrayDeque<>(together(claims));
        while (!left.isEmpty()) {
            List<List<Claim>> round = nextRound(left);
            List<Reply> replies = node.callEach(
                    round.stream().map(script).toList(), claims.get(0).timeout());
            boolean answered = false;
            for (int i = 0; i < round.size(); i++) {
                List<Claim> group = round.get(i);
                Reply reply = replies.get(i);
                Collection<List<Claim>> parts = isRefused(reply) ? together(group) : List.of();
                if (parts.size() > 1) {
                    // The server is in cluster mode, which only its refusal has told.
                    left.addAll(parts);
                    answered = true;
                } else {
                    onReply.accept(group, reply);
                    answered |= reply instanceof Reply.Value || isRefused(reply);
                }
            }
            if (!answered) {
                left.forEach(group -> onReply.accept(group, replies.get(0)));
                return;
            }
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

    /** Returns the value of a reply, or throws its failure. */
    static Object valueOf(Reply reply) {
        if (reply instanceof Reply.Value value && value.value() != null) {
            return value.value();
        }
        throw reply instanceof Reply.Failed failed
                ? failed.cause()
                : new LockBackendException(Reason.REFUSED, "a script of ours never answers nil");
    }
}
