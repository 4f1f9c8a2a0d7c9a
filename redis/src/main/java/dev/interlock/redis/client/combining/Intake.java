// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.LockBackendException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The queued tickets in order of arrival, urgent ones first. */
final class Intake {
    private final Queue<Ticket> urgent = new ConcurrentLinkedQueue<>();
    private final Queue<Ticket> usual = new ConcurrentLinkedQueue<>();
    private final List<Queue<Ticket>> all = List.of(urgent, usual);
    private volatile boolean open = true;

    boolean isOpen() {
        return open;
    }

    /** Adds a ticket, or rejects it if this is closed. */
    void add(Ticket ticket) {
        (ticket.isUrgent() ? urgent : usual).add(ticket);
        if (!open) {
            // The closing thread may have looked before the ticket was added.
            ticket.reject(null);
        }
    }

    /** Returns the ticket to be written next, if there is one. */
    @Nullable
    Ticket first() {
        for (Queue<Ticket> queue : all) {
            for (Ticket first = queue.peek(); first != null; first = queue.peek()) {
                if (first.isQueued()) {
                    return first;
                }
                // The owner of the ticket has left.
                queue.remove(first);
            }
        }
        return null;
    }

    /** Moves as many tickets to a batch as fit. Called by the leader alone. */
    void moveTo(Batch batch, long nanoTime) {
        all.forEach(queue -> batch.fill(queue, nanoTime));
    }

    /**
     * Accepts no more tickets, and rejects the queued ones.
     *
     * @param reason what speaks against every connection; {@code null} to have them go to another one
     */
    void close(@Nullable LockBackendException reason) {
        open = false;
        for (Queue<Ticket> queue : all) {
            for (Ticket ticket = queue.poll(); ticket != null; ticket = queue.poll()) {
                ticket.reject(reason);
            }
        }
    }
}
