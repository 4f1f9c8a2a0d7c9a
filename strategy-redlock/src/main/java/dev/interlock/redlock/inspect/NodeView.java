// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import java.util.ArrayList;
import java.util.List;

/**
 * The state of one lock on one node.
 *
 * @param node the node
 * @param token the token that holds the lock here; empty if none does
 * @param millis the time until it expires here, or a negative number if it does not expire
 * @param fence the last fencing token, or an empty text
 * @param record the record of the lead, or an empty text
 * @param index the index of the node in the list that it knows; negative if it knows none
 * @param nodes the list, or an empty text
 * @param waiting the number of waiters here
 * @param waiters the first waiters
 */
record NodeView(
        InspectedNodes.Node node,
        String token,
        long millis,
        String fence,
        String record,
        int index,
        String nodes,
        long waiting,
        List<Waiter> waiters) {
    private static final int FIRST_WAITER = 7;

    /**
     * A waiter.
     *
     * @param token the token with which it waits
     * @param sinceMicros since when, by the clock of the node
     */
    record Waiter(String token, long sinceMicros) {}

    /** Reads the reply of {@code redlock-look.lua}. */
    static NodeView read(InspectedNodes.Node node, List<?> reply) {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = FIRST_WAITER; i + 1 < reply.size(); i += 2) {
            waiters.add(new Waiter(text(reply, i), Long.parseLong(text(reply, i + 1))));
        }
        String index = text(reply, 4);
        return new NodeView(
                node,
                text(reply, 0),
                (Long) reply.get(1),
                text(reply, 2),
                text(reply, 3),
                index.matches("\\d{1,2}") ? Integer.parseInt(index) : -1,
                text(reply, 5),
                (Long) reply.get(FIRST_WAITER - 1),
                waiters);
    }

    private static String text(List<?> reply, int index) {
        return String.valueOf(reply.get(index));
    }
}
