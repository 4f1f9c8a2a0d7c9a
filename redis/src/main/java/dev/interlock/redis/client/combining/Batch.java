// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.redis.RedisCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/** The tickets of one write: as many as fit, in order of arrival. Used by one thread at a time. */
final class Batch {
    /** A larger batch would delay the replies of later tickets, and renewals behind commands that are not urgent. */
    private static final int MOST_BYTES = 16 * 1024;

    private final List<Ticket> tickets = new ArrayList<>();
    private byte[] bytes = new byte[1024];
    private int length;

    void clear() {
        tickets.clear();
        length = 0;
    }

    /** Moves tickets that are still to be sent from a queue to this batch. */
    void fill(Queue<Ticket> queue, long nanoTime) {
        for (Ticket next = queue.peek(); next != null && hasRoomFor(next); next = queue.peek()) {
            if (!queue.remove(next)) {
                // The ticket was rejected meanwhile.
                continue;
            }
            if (next.deadline().nanosLeft() <= 0) {
                next.withdraw();
            } else if (next.send(nanoTime)) {
                add(next);
            }
        }
    }

    private boolean hasRoomFor(Ticket ticket) {
        return tickets.isEmpty() || length + ticket.size() <= MOST_BYTES;
    }

    private void add(Ticket ticket) {
        tickets.add(ticket);
        if (length + ticket.size() > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + ticket.size()));
        }
        for (RedisCommand command : ticket.commands()) {
            byte[] encoded = command.encoded();
            System.arraycopy(encoded, 0, bytes, length, encoded.length);
            length += encoded.length;
        }
    }

    boolean isEmpty() {
        return tickets.isEmpty();
    }

    /** Returns the tickets in the order in which they are written. */
    List<Ticket> tickets() {
        return tickets;
    }

    Ticket last() {
        return tickets.get(tickets.size() - 1);
    }

    /** Returns the encoded commands, in the first {@link #length} bytes. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}
