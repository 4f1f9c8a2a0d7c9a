// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.jedis.JedisDialer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A connection that many threads share: a thread submits a ticket and waits.
 *
 * <p>A retired connection accepts no more tickets, and serves the written ones as long as their owners wait.
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
     * @param onSuspicion receives the time since which the server has not answered on this connection: other
     *     connections may be broken too
     */
    SharedConnection(Environment env, Failures failures, JedisDialer dialer, LongConsumer onSuspicion) {
        this.env = env;
        this.onSuspicion = onSuspicion;
        this.pipe = new Pipe(env, dialer);
        this.leadership = new Leadership(
                env, failures, pipe, intake, ticket -> giveUp(ticket, true), () -> onSuspicion.accept(env.nanoTime()));
    }

    /** Returns the number of threads that use it now. */
    int users() {
        return users.get();
    }

    boolean isRetired() {
        return !intake.isOpen();
    }

    /** Returns whether the connection is open. */
    boolean isOpen() {
        return pipe.isOpen();
    }

    /** Returns the time at which it was opened, or created if it is not open yet. */
    long openedNanos() {
        return pipe.openedNanos();
    }

    /** Returns the time of the server's last reply. */
    long heardNanos() {
        return pipe.heardNanos();
    }

    /** Waits uninterruptibly until a ticket {@linkplain Ticket#isOver is over}. */
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

    /**
     * Ends the wait for a ticket whose time is up, unless its replies have just arrived or its owner has just become
     * the leader.
     */
    private void giveUp(Ticket ticket, boolean leads) {
        if (ticket.withdraw()) {
            // This thread may be the one that was called to lead.
            leadership.callNext();
        } else if (pipe.abandon(ticket, leads)) {
            retire();
            onSuspicion.accept(ticket.sentNanos());
        }
    }

    /** Retires the connection: it accepts no more tickets, and is closed as soon as no owner waits for replies. */
    void retire() {
        intake.close(null);
        leadership.endIfFree();
    }
}
