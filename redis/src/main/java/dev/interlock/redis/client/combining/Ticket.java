// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.HelperThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Commands on their way over a shared connection, and the thread that waits for their replies.
 *
 * <p>The owner waits, or leaves when its time is up; the leader of the connection does all the rest. Each change of the state is one
 * atomic step, so that both agree on what became of the commands.
 */
final class Ticket {
    /** How far a ticket has come. */
    enum State {
        /** Not written. */
        QUEUED,
        /** Written, or about to be; the replies are owed. */
        SENT,
        /** As {@link #SENT}, and the owner is to lead the connection. */
        LEADING,
        /** The replies are there. */
        ANSWERED,
        /** Never written: the time was up before. */
        WITHDRAWN,
        /** Never written: the connection takes no commands any more. */
        REJECTED,
        /** Not written in full: the connection broke. */
        NOT_SENT,
        /** Written, and the time was up before the replies came. */
        LATE,
        /** Written, and the connection broke before the replies came. */
        BROKEN
    }

    private static final AtomicReferenceFieldUpdater<Ticket, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Ticket.class, State.class, "state");

    private final Environment env;
    private final Thread owner = Thread.currentThread();
    private final boolean virtual = HelperThreads.isVirtual(owner);
    private final List<RedisCommand> commands;
    private final List<RedisCommand> undo;
    private final Deadline deadline;
    private final boolean urgent;
    private final int size;
    private final List<@Nullable Object> replies;
    private volatile State state;
    private @Nullable Throwable cause;
    private long sentNanos;

    /**
     * Creates a ticket for the present thread.
     *
     * @param undo what is sent behind the commands if their replies are late; may be empty
     * @param urgent whether to be sent before those that are not
     */
    Ticket(Environment env, List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline, boolean urgent) {
        this(env, commands, undo, deadline, urgent, State.QUEUED);
    }

    private Ticket(
            Environment env,
            List<RedisCommand> commands,
            List<RedisCommand> undo,
            Deadline deadline,
            boolean urgent,
            State state) {
        this.env = env;
        this.commands = commands;
        this.undo = undo;
        this.deadline = deadline;
        this.urgent = urgent;
        this.size = sizeOf(commands);
        this.replies = new ArrayList<>(commands.size());
        this.state = state;
    }

    /** The leader, who writes for many, finds them encoded. */
    private static int sizeOf(List<RedisCommand> commands) {
        int size = 0;
        for (RedisCommand command : commands) {
            size += command.encoded().length;
        }
        return size;
    }

    /** What stands for the undo of this ticket, whose reply is owed and nobody waits for. */
    Ticket forUndo(long nanoTime) {
        Ticket ticket = new Ticket(env, undo, List.of(), deadline, urgent, State.LATE);
        ticket.sentNanos = nanoTime;
        return ticket;
    }

    List<RedisCommand> commands() {
        return commands;
    }

    List<RedisCommand> undo() {
        return undo;
    }

    /** How many bytes the commands take. */
    int size() {
        return size;
    }

    Deadline deadline() {
        return deadline;
    }

    /** Whether it is sent before those that are not urgent. */
    boolean isUrgent() {
        return urgent;
    }

    /** Whether the owner is a virtual thread, which never leads. */
    boolean isVirtual() {
        return virtual;
    }

    State state() {
        return state;
    }

    boolean isQueued() {
        return state == State.QUEUED;
    }

    boolean isLeading() {
        return state == State.LEADING;
    }

    /** Whether the owner waits for replies that are owed. */
    boolean isAwaited() {
        State now = state;
        return now == State.SENT || now == State.LEADING;
    }

    /** Whether the owner has nothing left to wait for. */
    boolean isOver() {
        return !isQueued() && !isAwaited();
    }

    /** The replies, once they are all there. */
    List<@Nullable Object> replies() {
        return replies;
    }

    /** Why it was not answered. */
    @Nullable
    Throwable cause() {
        return cause;
    }

    /** When it was written. */
    long sentNanos() {
        return sentNanos;
    }

    /** Marks it before it is written; {@code false} if nobody wants that any more. */
    boolean send(long nanoTime) {
        sentNanos = nanoTime;
        return STATE.compareAndSet(this, State.QUEUED, State.SENT);
    }

    /** Makes the owner the leader, if it waits for replies that are owed. */
    boolean appoint() {
        if (!STATE.compareAndSet(this, State.SENT, State.LEADING)) {
            return false;
        }
        wake();
        return true;
    }

    /** Takes the next reply; returns whether it was the last one. */
    boolean answer(@Nullable Object reply) {
        replies.add(reply);
        if (replies.size() < commands.size()) {
            return false;
        }
        end(State.ANSWERED);
        return true;
    }

    /** Its time is up before it was written; {@code false} if it is too late for that. */
    boolean withdraw() {
        if (!STATE.compareAndSet(this, State.QUEUED, State.WITHDRAWN)) {
            return false;
        }
        wake();
        return true;
    }

    /** The owner leaves though the replies are owed; {@code false} if there is something for it to do first, or to take. */
    boolean abandon() {
        return STATE.compareAndSet(this, State.SENT, State.LATE);
    }

    /** As {@link #abandon}, for an owner that leads. */
    boolean abandonAsLeader() {
        return abandon() || STATE.compareAndSet(this, State.LEADING, State.LATE);
    }

    /** It will not be written here: for a reason that holds for every connection, or to go to another one. */
    void reject(@Nullable LockBackendException reason) {
        if (isQueued()) {
            cause = reason;
            if (STATE.compareAndSet(this, State.QUEUED, State.REJECTED)) {
                wake();
            }
        }
    }

    void fail(State failed, Throwable reason) {
        cause = reason;
        end(failed);
    }

    private void end(State last) {
        if (STATE.compareAndSet(this, State.SENT, last)) {
            wake();
        } else {
            STATE.compareAndSet(this, State.LEADING, last);
        }
    }

    /** Has the owner look again. */
    @SuppressWarnings("ReferenceEquality") // A thread class may define equality as it likes.
    void wake() {
        if (owner != Thread.currentThread()) {
            env.unpark(owner);
        }
    }
}
