// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.HelperThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread reads the replies of a {@link CombiningLink}: a caller that is alone, or a thread of the
 * connection.
 *
 * <p>One thread at a time reads. A caller that may read does so until it has its own reply, and leaves the replies of
 * others. If another thread reads, or the server is slow, the connection's thread reads until no reply is outstanding.
 * That thread also writes for callers that send meanwhile, reads the replies that callers left, and waits for the end
 * of the connection while nothing is sent.
 */
final class ReplyReader {
    /**
     * The time that a caller waits for a server before it leaves that to the thread: other servers may have answered
     * meanwhile.
     */
    private static final Duration PATIENCE = Duration.ofMillis(2);

    /** The interval at which the thread looks for replies that callers left. */
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The time for which callers do not wait again after a wait in vain; it doubles each time. */
    private static final long FIRST_PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long LONGEST_PENALTY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    /** The number of unanswered commands from which on several callers are assumed to wait. */
    private static final int SEVERAL = 3;

    /** The time for which the thread stays after the last reply if several callers were waiting just before. */
    private static final Duration STAY = Duration.ofMillis(1);

    private final Environment env;
    private final Source source;

    /** Whether a thread reads; stays true when the connection has ended. */
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Whether the thread was started, which the first that sends does. */
    private final AtomicBoolean started = new AtomicBoolean();

    private volatile @Nullable Thread thread;
    private volatile boolean wanted;
    private volatile boolean active;
    private volatile boolean stopped;
    private volatile long slowUntilNanos;
    private volatile long penaltyNanos;

    /** The connection as its reader sees it. */
    interface Source {
        /** Returns whether at least so many replies are outstanding. */
        boolean owes(int count);

        /** Returns whether commands are queued. */
        boolean isWaiting();

        /** Writes the queued commands. */
        void write();

        /** Returns whether the beginning of the next reply is in the buffer. */
        boolean hasBuffered();

        /** Returns whether bytes have arrived that may be a reply. */
        boolean hasArrived() throws IOException;

        /** Waits for the next reply and passes it on. Returns {@code false} if none has begun by the deadline. */
        boolean readNext(Deadline deadline) throws IOException;

        /** Ends the connection; {@link ReplyReader#stop} is called. */
        void end(Throwable cause);

        /** Fails the outstanding replies: nobody will read them. */
        void abandon();
    }

    ReplyReader(Environment env, Source source) {
        this.env = env;
        this.source = source;
        this.slowUntilNanos = env.nanoTime();
    }

    /** Records that a command was sent. */
    void noteSent() {
        active = true;
        if (!started.get() && started.compareAndSet(false, true)) {
            Thread fresh = env.newThread("interlock-replies", this::run);
            thread = fresh;
            fresh.start();
        }
    }

    /** Returns whether the thread reads, and writes what waits whenever it has read what has come. */
    boolean isAtWork() {
        return wanted && !stopped;
    }

    /** Reads on the current thread. Returns whether the caller has enough, or no reply is outstanding. */
    boolean read(BooleanSupplier enough) {
        if (wanted
                || env.nanoTime() - slowUntilNanos < 0
                || HelperThreads.isVirtual(Thread.currentThread())
                || !taken.compareAndSet(false, true)) {
            return false;
        }
        boolean timely = true;
        try {
            while (timely && !enough.getAsBoolean() && source.owes(1)) {
                timely = source.readNext(new Deadline(env, PATIENCE));
                // Writes commands that the reply has caused, such as a script that is sent in full.
                source.write();
            }
        } catch (Throwable e) {
            // After any failure, the start of the next reply is unknown.
            source.end(e);
        } finally {
            noteSpeed(timely);
            leave();
        }
        return timely;
    }

    private void noteSpeed(boolean timely) {
        if (timely) {
            penaltyNanos = 0;
        } else {
            penaltyNanos = Math.max(FIRST_PENALTY_NANOS, Math.min(2 * penaltyNanos, LONGEST_PENALTY_NANOS));
            slowUntilNanos = env.nanoTime() + penaltyNanos;
        }
    }

    /** Makes the thread read until no reply is outstanding. */
    void readInBackground() {
        if (!wanted) {
            wanted = true;
            wake();
        }
    }

    /** Fails the outstanding replies as soon as nobody reads, and ends the thread. */
    void stop() {
        stopped = true;
        wake();
        if (taken.compareAndSet(false, true)) {
            source.abandon();
        }
    }

    /** Stops reading, so that another thread may read. */
    private void leave() {
        if (!stopped) {
            taken.set(false);
            if (wanted) {
                wake();
            }
            if (!stopped || !taken.compareAndSet(false, true)) {
                return;
            }
        }
        source.abandon();
    }

    private void wake() {
        Thread present = thread;
        if (present != null) {
            env.unpark(present);
        }
    }

    private void run() {
        while (!stopped) {
            if (!wanted && active) {
                active = false;
                env.park(this, SWEEP_NANOS);
            }
            if (taken.compareAndSet(false, true)) {
                try {
                    readAsThread();
                } catch (Throwable e) {
                    source.end(e);
                } finally {
                    leave();
                }
            } else if (wanted) {
                // The thread that reads wakes this one when it stops.
                env.park(this, SWEEP_NANOS);
            } else {
                active = true;
            }
        }
    }

    private void readAsThread() throws IOException {
        if (wanted) {
            readAll();
        } else if (active || source.owes(1)) {
            source.write();
            while (source.hasArrived()) {
                source.readNext(new Deadline(env, PATIENCE));
            }
            source.write();
            if (!active && source.owes(1)) {
                // Goes on waiting for a slow server, since no caller has taken over.
                wanted = true;
            }
        } else {
            // Only the end of the connection can arrive, unless a command is sent meanwhile.
            source.readNext(new Deadline(env, LONGEST_WAIT));
            // Writes, for example, a script that is sent in full: its caller may not return.
            source.write();
            active = true;
        }
    }

    /**
     * Reads, and writes commands that callers left to this thread, until no reply is outstanding and callers arrive one
     * at a time.
     */
    private void readAll() throws IOException {
        long severalNanos = env.nanoTime() - STAY.toNanos();
        while (!stopped) {
            if (!source.hasBuffered()) {
                source.write();
            }
            if (source.owes(1)) {
                source.readNext(new Deadline(env, LONGEST_WAIT));
                severalNanos = source.owes(SEVERAL) ? env.nanoTime() : severalNanos;
            } else if (env.nanoTime() - severalNanos < STAY.toNanos()) {
                source.readNext(new Deadline(env, STAY));
            } else {
                wanted = false;
                if (!source.owes(1) && !source.isWaiting()) {
                    return;
                }
                // The sender of this may have relied on the current thread.
                wanted = true;
            }
        }
    }
}
