// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.Wire;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The line of a call over the shared connections: each command goes over the connection that suits best at that moment.
 */
final class CombiningLine implements Wire.Line {
    private final Environment env;
    private final Failures failures;
    private final Connections connections;
    private final boolean urgent;
    private long usedNanos;

    CombiningLine(Environment env, Failures failures, Connections connections, boolean urgent) {
        this.env = env;
        this.failures = failures;
        this.connections = connections;
        this.urgent = urgent;
        this.usedNanos = env.nanoTime();
    }

    @Override
    public List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
            throws NotSentException {
        while (true) {
            SharedConnection connection = connections.choose();
            Ticket ticket = new Ticket(env, commands, undo, deadline, urgent);
            connection.carry(ticket);
            RedisCommand last = commands.get(commands.size() - 1);
            switch (ticket.state()) {
                case ANSWERED -> {
                    usedNanos = ticket.sentNanos();
                    return ticket.replies();
                }
                case REJECTED -> {
                    if (ticket.cause() instanceof LockBackendException everywhere) {
                        throw everywhere;
                    }
                    if (deadline.nanosLeft() <= 0) {
                        throw failures.noConnectionInTime(deadline);
                    }
                }
                case WITHDRAWN ->
                    throw connection.isOpen() ? failures.noneFree(deadline) : failures.noConnectionInTime(deadline);
                case NOT_SENT -> throw new NotSentException(cause(ticket));
                case LATE -> throw failures.late(last, deadline);
                case BROKEN -> throw failures.broken(last, cause(ticket));
                default -> throw new IllegalStateException("a ticket that is over is " + ticket.state());
            }
        }
    }

    private static Throwable cause(Ticket ticket) {
        return Objects.requireNonNull(ticket.cause());
    }

    /** Returns zero: shared connections check for themselves whether they are alive. */
    @Override
    public long silentNanos() {
        return 0;
    }

    @Override
    public void release() {
        // Nothing was borrowed.
    }

    @Override
    public void retire() {
        connections.retireOpenedBefore(usedNanos);
    }
}
