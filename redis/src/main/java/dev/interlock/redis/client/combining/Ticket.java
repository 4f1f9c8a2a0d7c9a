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
 * <p>The owner waits, or leaves when its time is up; the leader of the connection does the rest. Each change of state
 * is one atomic step, so that both agree on the outcome of the commands.
 */
final class Ticket {
    /** The state of a ticket. */
    enum State {
        /** Not written. */
        QUEUED,
        /** Written, or about to be written; the replies are outstanding. */
        SENT,
        /** As {@link #SENT}, and the owner is to lead the connection. */
        LEADING,
        /** All replies have arrived. */
        ANSWERED,
        /** Never written: the time was up before. */
        WITHDRAWN,
        /** Never written: the connection accepts no more commands. */
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

    /** Encodes the commands early, so that the leader, which writes for many, need not. */
    private static int sizeOf(List<RedisCommand> commands) {
        int size = 0;
        for (RedisCommand command : commands) {
            size += command.encoded().length;
        }
        return size;
    }

    /** Returns a ticket for the undo of this one. Its reply is outstanding, and no owner waits for it. */
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

    /** Returns the size of the commands in bytes. */
    int size() {
        return size;
    }

    Deadline deadline() {
        return deadline;
    }

    /** Returns whether it is written before tickets that are not urgent. */
    boolean isUrgent() {
        return urgent;
    }

    /** Returns whether the owner is a virtual thread, which never leads. */
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

    /** Returns whether the owner waits for outstanding replies. */
    boolean isAwaited() {
        State now = state;
        return now == State.SENT || now == State.LEADING;
    }

    /** Returns whether the owner has nothing left to wait for. */
    boolean isOver() {
        return !isQueued() && !isAwaited();
    }

    /** Returns the replies, once all have arrived. */
    List<@Nullable Object> replies() {
        return replies;
    }

    /** Returns the reason why it was not answered. */
    @Nullable
    Throwable cause() {
        return cause;
    }

    /** Returns the time at which it was written. */
    long sentNanos() {
        return sentNanos;
    }

    /** Marks the ticket as sent, before it is written. Returns {@code false} if its owner has left. */
    boolean send(long nanoTime) {
        sentNanos = nanoTime;
        return STATE.compareAndSet(this, State.QUEUED, State.SENT);
    }

    /** Makes the owner the leader, if it waits for outstanding replies. */
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

    /** Withdraws a ticket that was not written in time. Returns {@code false} if it is too late for that. */
    boolean withdraw() {
        if (!STATE.compareAndSet(this, State.QUEUED, State.WITHDRAWN)) {
            return false;
        }
        wake();
        return true;
    }

    /**
     * Abandons a ticket whose replies are outstanding. Returns {@code false} if the replies have arrived, or the owner
     * has become the leader.
     */
    boolean abandon() {
        return STATE.compareAndSet(this, State.SENT, State.LATE);
    }

    /** Abandons a ticket as {@link #abandon} does, for an owner that leads. */
    boolean abandonAsLeader() {
        return abandon() || STATE.compareAndSet(this, State.LEADING, State.LATE);
    }

    /**
     * Rejects the ticket on this connection: for a reason that holds for every connection, or so that it goes to
     * another one.
     */
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

    /** Wakes the owner, so that it checks the state. */
    @SuppressWarnings("ReferenceEquality") // A thread class may define equality as it likes.
    void wake() {
        if (owner != Thread.currentThread()) {
            env.unpark(owner);
        }
    }
}
