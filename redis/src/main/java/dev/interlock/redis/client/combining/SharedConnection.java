// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.jedis.JedisDialer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A connection for many threads, as these see it: a thread brings a ticket and waits.
 *
 * <p>A connection that was retired takes no more tickets, and serves those that were written as long as their owners wait.
 */
final class SharedConnection {
    private final Environment env;
    private final LongConsumer onSuspicion;
    private final Pipe pipe;
    private final Intake intake = new Intake();
    private final Leadership leadership;
    private final AtomicInteger users = new AtomicInteger();

    /**
     * Creates a connection that is opened when it is first used.
     *
     * @param onSuspicion told since when the server has not been heard on this connection: others may have met the same fate
     */
    SharedConnection(Environment env, Failures failures, JedisDialer dialer, LongConsumer onSuspicion) {
        this.env = env;
        this.onSuspicion = onSuspicion;
        this.pipe = new Pipe(env, dialer);
        this.leadership = new Leadership(
                env, failures, pipe, intake, ticket -> giveUp(ticket, true), () -> onSuspicion.accept(env.nanoTime()));
    }

    /** How many threads use it now. */
    int users() {
        return users.get();
    }

    boolean isRetired() {
        return !intake.isOpen();
    }

    /** Whether it was opened, and not closed since. */
    boolean isOpen() {
        return pipe.isOpen();
    }

    /** When it was opened, or created if it is not open yet. */
    long openedNanos() {
        return pipe.openedNanos();
    }

    /** When the server last answered on it. */
    long heardNanos() {
        return pipe.heardNanos();
    }

    /** Waits until a ticket {@linkplain Ticket#isOver is over}. No interrupt ends that. */
    void carry(Ticket ticket) {
        users.incrementAndGet();
        try {
            intake.add(ticket);
            await(ticket);
        } finally {
            users.decrementAndGet();
        }
    }

    private void await(Ticket ticket) {
        boolean interrupted = false;
        while (!ticket.isOver()) {
            long left = ticket.deadline().nanosLeft();
            if (ticket.isLeading()) {
                leadership.lead(ticket);
            } else if (left <= 0) {
                giveUp(ticket, false);
            } else if (!ticket.isQueued() || !(leadership.leadIfFree(ticket) || leadership.writeBehind())) {
                env.park(this, left);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the wait for a ticket whose time is up, unless there is something to take, or to lead, at the last moment. */
    private void giveUp(Ticket ticket, boolean leads) {
        if (ticket.withdraw()) {
            // It may be this one that was called to lead.
            leadership.callNext();
        } else if (pipe.abandon(ticket, leads)) {
            retire();
            onSuspicion.accept(ticket.sentNanos());
        }
    }

    /** Takes no more tickets, and closes the connection as soon as nobody waits for replies. */
    void retire() {
        intake.close(null);
        leadership.endIfFree();
    }
}
