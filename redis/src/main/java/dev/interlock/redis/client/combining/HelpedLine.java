// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection for one call, used on a thread whose interrupts do not harm it. */
final class HelpedLine implements Wire.Line {
    private final Wire wire;
    private final Wire.Line line;

    private HelpedLine(Wire wire, Wire.Line line) {
        this.wire = wire;
        this.line = line;
    }

    static Wire.Line open(Wire wire, Deadline deadline) {
        return new HelpedLine(wire, wire.run(() -> wire.open(true, deadline), deadline));
    }

    @Override
    public List<@Nullable Object> exchange(List<RedisCommand> commands, @Nullable RedisCommand undo, Deadline deadline)
            throws NotSentException {
        try {
            return wire.run(() -> exchangeUnchecked(commands, undo, deadline), deadline);
        } catch (NotSent e) {
            throw new NotSentException(e.getCause());
        }
    }

    private List<@Nullable Object> exchangeUnchecked(
            List<RedisCommand> commands, @Nullable RedisCommand undo, Deadline deadline) {
        try {
            return line.exchange(commands, undo, deadline);
        } catch (NotSentException e) {
            throw new NotSent(e.getCause());
        }
    }

    @Override
    public long silentNanos() {
        return line.silentNanos();
    }

    @Override
    public void release() {
        line.release();
    }

    @Override
    public void retire() {
        line.retire();
    }

    /** Carries the checked exception out of a {@link java.util.function.Supplier}. */
    private static final class NotSent extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotSent(Throwable cause) {
            super(cause);
        }

        @Override
        public synchronized Throwable getCause() {
            return java.util.Objects.requireNonNull(super.getCause());
        }
    }
}
