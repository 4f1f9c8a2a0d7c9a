// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode.Acknowledged;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Commands to one server that count once replicas, or the disk, have acknowledged what they have written. */
final class AcknowledgedCalls {
    private static final RedisCommand ASKING = RedisCommand.of("ASKING");

    private final Failures failures;
    private final Lines lines;
    private final Consumer<ServerError> onError;

    /** @param onError told of each error that the server replies with */
    AcknowledgedCalls(Failures failures, Lines lines, Consumer<ServerError> onError) {
        this.failures = failures;
        this.lines = lines;
        this.onError = onError;
    }

    /** Returns how the commands use a connection. */
    static Wire.Use use(Acknowledgement wanted) {
        return wanted.urgent() ? Wire.Use.URGENT_EXCLUSIVE : Wire.Use.EXCLUSIVE;
    }

    /** @param asking whether to speak to a node that is about to get the slot of the key */
    Acknowledged run(RedisCommand command, Acknowledgement wanted, boolean asking, Deadline deadline) {
        boolean again = false;
        while (true) {
            Wire.Line line = lines.open(use(wanted), deadline);
            try {
                RedisCommand wait = wanted.command(waitMillis(deadline));
                List<@Nullable Object> replies = exchange(line, command, wait, asking, deadline);
                if (command.isScript() && replies.get(0) instanceof ServerError error && error.isNoScript()) {
                    wait = wanted.command(waitMillis(deadline));
                    replies = exchange(line, command.inFull(), wait, asking, deadline);
                }
                return accept(line, command, wait, wanted, replies);
            } catch (NotSentException e) {
                // The WAIT was not sent, but the command before it may have been. After the second attempt the outcome
                // is unknown.
                if (again) {
                    throw failures.broken(command, e);
                }
                again = true;
            }
        }
    }

    /** Returns the replies to the command and to the wait. */
    private static List<@Nullable Object> exchange(
            Wire.Line line, RedisCommand command, RedisCommand wait, boolean asking, Deadline deadline)
            throws NotSentException {
        if (!asking) {
            return line.exchange(List.of(command, wait), List.of(), deadline);
        }
        List<@Nullable Object> replies =
                new ArrayList<>(line.exchange(List.of(ASKING, command, wait), List.of(), deadline));
        Object allowed = replies.remove(0);
        if (allowed instanceof ServerError refused) {
            replies.set(0, refused);
        }
        return replies;
    }

    /**
     * Returns the time that the server may wait. The rest is left for the reply, and for the caller's undo of an
     * unacknowledged write.
     */
    private static long waitMillis(Deadline deadline) {
        return Math.max(1, deadline.millisLeft() * 3L / 4);
    }

    private Acknowledged accept(
            Wire.Line line,
            RedisCommand command,
            RedisCommand wait,
            Acknowledgement wanted,
            List<@Nullable Object> replies) {
        Object copies = replies.get(1);
        if (replies.get(0) instanceof ServerError error) {
            throw refused(line, command, error);
        }
        if (copies instanceof ServerError error) {
            return new Acknowledged(replies.get(0), Optional.of(refused(line, wait, error)));
        }
        line.release();
        return new Acknowledged(replies.get(0), failures.shortfall(command, wanted, copies));
    }

    private ServerErrorException refused(Wire.Line line, RedisCommand command, ServerError error) {
        onError.accept(error);
        if (error.isAboutServer()) {
            line.retire();
        } else {
            line.release();
        }
        return failures.answered(command, error);
    }
}
