// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread leads a connection, and does the leader's work: writing and reading for all threads.
 *
 * <p>One thread at a time leads. The leadership is free until a ticket arrives. A leader that has its replies hands it
 * to the first owner with outstanding replies; it is free again when no reply is outstanding. Then the next owner is
 * called, and any other thread may come before it. The thread that ends the connection keeps the leadership for ever.
 */
final class Leadership {
    /** The time for which a leader that has its own reply waits for the rest of a reply that has begun. */
    private static final Duration LONGEST_STAY = Duration.ofSeconds(1);

    private final Failures failures;
    private final Pipe pipe;
    private final Intake intake;
    private final Consumer<Ticket> giveUp;
    private final Runnable onBroken;
    private final PlatformLeader platformLeader;
    private final AtomicBoolean taken = new AtomicBoolean();

    /**
     * Creates a leadership that is free.
     *
     * @param giveUp ends the wait for a ticket whose time is up
     * @param onBroken run when the connection turned out to be broken or silent
     */
    Leadership(
            Environment env, Failures failures, Pipe pipe, Intake intake, Consumer<Ticket> giveUp, Runnable onBroken) {
        this.failures = failures;
        this.pipe = pipe;
        this.intake = intake;
        this.giveUp = giveUp;
        this.onBroken = onBroken;
        this.platformLeader = new PlatformLeader(env, () -> lead(null));
    }

    /**
     * Leads if the leadership is free; for a virtual thread, the platform leader leads instead. Returns whether the
     * current thread has led.
     */
    boolean leadIfFree(Ticket own) {
        if (!taken.compareAndSet(false, true)) {
            return false;
        }
        if (own.isVirtual()) {
            drive();
            return false;
        }
        lead(own);
        return true;
    }

    /**
     * Writes queued tickets although replies are outstanding, if that pays.
     *
     * @return whether something has changed for those who wait
     */
    boolean writeBehind() {
        try {
            return pipe.writeBehind(intake);
        } catch (IOException e) {
            // The leader will find the connection closed.
            return true;
        }
    }

    /**
     * Calls the owner of the next ticket if the leadership is free. Another thread may lead first; the order of the
     * tickets is not affected.
     */
    void callNext() {
        Ticket next = intake.first();
        if (!intake.isOpen()) {
            endIfFree();
        } else if (next != null && next.isVirtual()) {
            leadIfFree(next);
        } else if (next != null && !taken.get()) {
            next.wake();
        }
    }

    /** Ends the connection if the leadership is free. */
    void endIfFree() {
        if (taken.compareAndSet(false, true)) {
            end(new IOException("nobody uses the connection any more"));
        }
    }

    /**
     * Leads until the leadership is handed on, or nothing is left to do. Called by the thread that has the leadership.
     *
     * @param own what the thread itself waits for; {@code null} if it is the platform leader
     */
    void lead(@Nullable Ticket own) {
        try {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = pipe.isClear() ? send(own) : receive(own);
            }
        } catch (Throwable e) {
            // After any failure, the start of the next reply is unknown.
            if (own != null && own.isAwaited() && own.deadline().nanosLeft() <= 0) {
                giveUp.accept(own);
            }
            breakOff(e);
        }
    }

    /** Writes the queued tickets. Returns whether to go on leading. */
    private boolean send(@Nullable Ticket own) throws IOException {
        if (!intake.isOpen()) {
            end(new IOException("nobody uses the connection any more"));
            return false;
        }
        Ticket asking = own != null && own.isQueued() ? own : intake.first();
        if (asking == null || (own != null && own.isOver())) {
            // More tickets may arrive until another thread leads; they are written together.
            taken.set(false);
            callNext();
            return false;
        }
        if (!pipe.isOpen() && !open(asking)) {
            return false;
        }
        if (!pipe.isAlive(asking.deadline())) {
            breakOff(new IOException("the server is silent"));
            return false;
        }
        if (!renewLogin(asking)) {
            return false;
        }
        pipe.write(intake);
        return true;
    }

    private boolean renewLogin(Ticket asking) {
        try {
            pipe.renewLogin(asking.deadline());
            return true;
        } catch (IOException | RuntimeException | Error e) {
            // Waiting tickets go to another connection, which reports what is wrong with the credentials if it cannot
            // log in either.
            end(e);
            return false;
        }
    }

    private boolean open(Ticket asking) {
        try {
            pipe.open(asking.deadline());
            return true;
        } catch (RuntimeException | Error e) {
            LockBackendException reason = e instanceof LockBackendException known ? known : failures.noConnection(e);
            asking.reject(reason);
            // Tickets with a later deadline may still find a connection.
            intake.close(asking.deadline().nanosLeft() > 0 ? reason : null);
            end(e);
            return false;
        }
    }

    /** Reads a reply, or hands the leadership on. Returns whether to go on leading. */
    private boolean receive(@Nullable Ticket own) throws IOException {
        Ticket first = pipe.firstAwaited();
        if (first == null || (own != null && !staysFor(own))) {
            handOn();
            return false;
        }
        // Writes tickets that others could not, because too much was unanswered.
        pipe.writeBehind(intake);
        Deadline limit = first.deadline();
        if (own != null) {
            limit = own.isOver() ? limit.sooner(LONGEST_STAY, 1) : own.deadline();
        }
        if (pipe.awaitReply(limit)) {
            pipe.read(limit);
        } else if (own != null) {
            giveUp.accept(own);
        }
        return true;
    }

    /** Returns whether a leader goes on: for its own reply, or because another thread's reply has already arrived. */
    private boolean staysFor(Ticket own) throws IOException {
        return !own.isOver() || (own.state() == Ticket.State.ANSWERED && pipe.hasUnread());
    }

    /** Hands the leadership to the first owner with outstanding replies, or ends the connection if there is none. */
    private void handOn() {
        while (true) {
            Ticket next = pipe.firstAwaited();
            if (next == null) {
                if (pipe.closeUnlessAwaited()) {
                    end(new IOException("nobody waits for a reply any more"));
                    return;
                }
            } else if (next.isVirtual()) {
                drive();
                return;
            } else if (next.appoint()) {
                return;
            }
        }
    }

    private void drive() {
        try {
            platformLeader.lead();
        } catch (Throwable e) {
            // No thread can be started, and no other would lead.
            intake.close(failures.noConnection(e));
            end(e);
        }
    }

    /** Ends a connection that the server has probably ended too. */
    private void breakOff(Throwable cause) {
        end(cause);
        onBroken.run();
    }

    /** Ends the connection. Outstanding replies fail, and unwritten tickets go to another connection. */
    private void end(Throwable cause) {
        intake.close(null);
        pipe.fail(cause);
        platformLeader.stop();
    }
}
