// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redisson.RedissonFailures.CrossSlotException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Sends as few requests as possible for many locks: one for each slot in a cluster, and otherwise one for all of them
 * until a server turns out to be in cluster mode. All requests are sent before the first reply is awaited. Safe to use
 * from any thread.
 */
final class LeaseBatches {
    /** The most locks that one script renews or releases; such a script takes the server about a millisecond. */
    private static final int MOST = 256;

    private final RedissonShards shards;
    private volatile boolean bySlot;

    /**
     * Creates the batches.
     *
     * @param bySlot whether it is known already that locks of different slots cannot share a request
     */
    LeaseBatches(RedissonShards shards, boolean bySlot) {
        this.shards = shards;
        this.bySlot = bySlot;
    }

    /**
     * Sends requests about locks and waits for their answers.
     *
     * @param claims the locks
     * @param send sends one request; may throw {@link LockBackendException}
     * @param outcome called with each group of locks and the request that was sent for it; must not catch a
     *     {@link CrossSlotException}
     */
    void run(
            List<Claim> claims,
            Function<List<Claim>, ScriptSender.Sent> send,
            BiConsumer<List<Claim>, ScriptSender.Sent> outcome) {
        boolean split = bySlot;
        List<List<Claim>> groups = split ? bySlot(claims) : chunks(claims);
        List<ScriptSender.Sent> sent =
                groups.stream().map(group -> guarded(send, group)).toList();
        List<Claim> refused = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            List<Claim> group = groups.get(i);
            try {
                outcome.accept(group, sent.get(i));
            } catch (CrossSlotException e) {
                if (split) {
                    outcome.accept(group, failed(new LockBackendException(e.reason(), String.valueOf(e.getMessage()))));
                }
                refused.addAll(group);
            }
        }
        if (!split && !refused.isEmpty()) {
            bySlot = true;
            run(refused, send, outcome);
        }
    }

    /**
     * Sends requests about locks and waits for their answers, which do not matter.
     *
     * @param claims the locks
     * @param send sends one request; may throw {@link LockBackendException}
     * @throws LockBackendException if any request may not have been carried out; the first failure of several
     */
    void deliver(List<Claim> claims, Function<List<Claim>, ScriptSender.Sent> send) {
        List<LockBackendException> failures = new ArrayList<>();
        run(claims, send, (group, sent) -> {
            try {
                sent.answer();
            } catch (CrossSlotException e) {
                throw e;
            } catch (LockBackendException e) {
                failures.add(e);
            }
        });
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private static ScriptSender.Sent guarded(Function<List<Claim>, ScriptSender.Sent> send, List<Claim> group) {
        try {
            return send.apply(group);
        } catch (LockBackendException e) {
            return failed(e);
        }
    }

    private static ScriptSender.Sent failed(LockBackendException failure) {
        return () -> {
            throw failure;
        };
    }

    private List<List<Claim>> bySlot(List<Claim> claims) {
        Map<Integer, List<Claim>> slots = new LinkedHashMap<>();
        for (Claim claim : claims) {
            slots.computeIfAbsent(shards.slot(claim.lockName()), slot -> new ArrayList<>())
                    .add(claim);
        }
        return slots.values().stream().flatMap(ofOne -> chunks(ofOne).stream()).toList();
    }

    private static List<List<Claim>> chunks(List<Claim> claims) {
        List<List<Claim>> chunks = new ArrayList<>();
        for (int from = 0; from < claims.size(); from += MOST) {
            chunks.add(claims.subList(from, Math.min(from + MOST, claims.size())));
        }
        return chunks;
    }
}
