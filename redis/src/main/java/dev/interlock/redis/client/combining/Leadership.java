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
 * Who leads a connection, and what a leader does: it writes for all and reads for all.
 *
 * <p>One thread at a time leads. Leadership is free until a ticket comes, goes from a leader that has its replies to the first
 * owner whose replies are owed, and is free again when nothing is owed. Then the next owner is called, and any other may come
 * before it. Whoever ends the connection keeps the leadership for ever.
 */
final class Leadership {
    /** For how long a leader that has its own reply waits for the rest of one that has begun. */
    private static final Duration LONGEST_STAY = Duration.ofSeconds(1);

    private final Failures failures;
    private final Pipe pipe;
    private final Intake intake;
    private final Consumer<Ticket> giveUp;
    private final Runnable onBroken;
    private final Driver driver;
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
        this.driver = new Driver(env, () -> lead(null));
    }

    /** Leads, if nobody does; a virtual thread has the driver lead. Returns whether the present thread has led. */
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
     * Writes what waits though replies are owed, if that pays.
     *
     * @return whether something has changed for those who wait
     */
    boolean writeBehind() {
        try {
            return pipe.writeBehind(intake);
        } catch (IOException e) {
            // Whoever leads finds the connection closed.
            return true;
        }
    }

    /** Calls the owner of the next ticket to lead, if nobody does. Whoever comes first may lead: the order of the tickets stays. */
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

    /** Ends the connection, if nobody leads it. */
    void endIfFree() {
        if (taken.compareAndSet(false, true)) {
            end(new IOException("nobody uses the connection any more"));
        }
    }

    /**
     * Leads until somebody else does, or nothing is left to do. For the thread to which the leadership was given.
     *
     * @param own what the thread itself waits for; {@code null} if it is the driver
     */
    void lead(@Nullable Ticket own) {
        try {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = pipe.isClear() ? send(own) : receive(own);
            }
        } catch (Throwable e) {
            // Whatever it was, where the next reply begins is not known any more.
            if (own != null && own.isAwaited() && own.deadline().nanosLeft() <= 0) {
                giveUp.accept(own);
            }
            breakOff(e);
        }
    }

    /** Writes what has come. Returns whether to go on. */
    private boolean send(@Nullable Ticket own) throws IOException {
        if (!intake.isOpen()) {
            end(new IOException("nobody uses the connection any more"));
            return false;
        }
        Ticket asking = own != null && own.isQueued() ? own : intake.first();
        if (asking == null || (own != null && own.isOver())) {
            // Until another thread leads, more may come, and all of it is written at once.
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
            // Who waits goes to another connection, which says what is wrong with the credentials if it cannot log in
            // either.
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
            // Who has more time may find a connection yet.
            intake.close(asking.deadline().nanosLeft() > 0 ? reason : null);
            end(e);
            return false;
        }
    }

    /** Reads a reply, or hands the leadership on. Returns whether to go on. */
    private boolean receive(@Nullable Ticket own) throws IOException {
        Ticket first = pipe.firstAwaited();
        if (first == null || (own != null && !staysFor(own))) {
            handOn();
            return false;
        }
        // What others could not write, as while too much was unanswered.
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

    /** Whether a leader goes on: for its own reply, or because somebody else's has come already. */
    private boolean staysFor(Ticket own) throws IOException {
        return !own.isOver() || (own.state() == Ticket.State.ANSWERED && pipe.hasUnread());
    }

    /** Hands the leadership on to the first owner whose replies are owed, or ends the connection if there is none. */
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
            driver.lead();
        } catch (Throwable e) {
            // There is no thread to be had, and nobody else would lead.
            intake.close(failures.noConnection(e));
            end(e);
        }
    }

    /** Ends the connection, which the server has probably ended too. */
    private void breakOff(Throwable cause) {
        end(cause);
        onBroken.run();
    }

    /** Ends the connection; what is owed fails, and what is not written yet goes to another one. */
    private void end(Throwable cause) {
        intake.close(null);
        pipe.fail(cause);
        driver.stop();
    }
}
