// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.redis.RedisNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Divides locks into those that may go together in one transaction. */
final class SlotBatches {
    /** The most locks of one transaction; this keeps the server busy for about a millisecond. */
    private static final int MOST = 256;

    private SlotBatches() {}

    /** Returns batches of one slot each, in which no key is there twice. */
    static <T> List<List<T>> of(List<T> all, Function<T, String> key, RedisNode node) {
        Map<Integer, List<T>> bySlot = new LinkedHashMap<>();
        all.forEach(each -> bySlot.computeIfAbsent(node.slot(key.apply(each)), slot -> new ArrayList<>())
                .add(each));
        List<List<T>> batches = new ArrayList<>();
        for (List<T> sameSlot : bySlot.values()) {
            List<T> batch = new ArrayList<>();
            Set<String> keys = new HashSet<>();
            for (T each : sameSlot) {
                if (batch.size() == MOST || keys.contains(key.apply(each))) {
                    batches.add(batch);
                    batch = new ArrayList<>();
                    keys.clear();
                }
                batch.add(each);
                keys.add(key.apply(each));
            }
            batches.add(batch);
        }
        return batches;
    }
}
