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
 * Who reads the replies of a {@link CombiningLink}: a caller that is alone, or a thread of the connection.
 *
 * <p>One thread at a time may read. A caller that may reads until it has its own reply, and leaves what is owed to others behind. If it
 * cannot, because somebody else reads or the server is slow, it has the thread read until nothing is owed. That thread also writes for
 * those who send meanwhile, sweeps up what callers leave behind, and while nobody sends anything it waits for the end of the connection.
 */
final class ReplyReader {
    /** How long a caller waits for a server before it leaves that to the thread: others may have answered meanwhile. */
    private static final Duration PATIENCE = Duration.ofMillis(2);

    /** How often the thread looks at what callers have left behind. */
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long a caller that has waited in vain does not try that again; twice as long each time. */
    private static final long FIRST_PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long LONGEST_PENALTY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    /** From so many commands on that the server is busy with, several callers are waiting. */
    private static final int SEVERAL = 3;

    /** For how long the thread stays when nothing is owed, since several callers were waiting a moment ago. */
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

    /** What is read. */
    interface Source {
        /** Whether so many replies are to come. */
        boolean owes(int count);

        /** Whether commands wait to be written. */
        boolean isWaiting();

        /** Writes what waits. */
        void write();

        /** Whether the beginning of the next reply was read already. */
        boolean hasBuffered();

        /** Whether something has come, which is a reply, or may be. */
        boolean hasArrived() throws IOException;

        /** Waits for the next reply, and hands it on; {@code false} if none has begun by the deadline. */
        boolean readNext(Deadline deadline) throws IOException;

        /** Ends the connection; {@link ReplyReader#stop} is called. */
        void end(Throwable cause);

        /** Fails what is owed: nobody will read any more. */
        void abandon();
    }

    ReplyReader(Environment env, Source source) {
        this.env = env;
        this.source = source;
        this.slowUntilNanos = env.nanoTime();
    }

    /** Notes that something was sent. */
    void noteSent() {
        active = true;
        if (!started.get() && started.compareAndSet(false, true)) {
            Thread fresh = env.newThread("interlock-replies", this::run);
            thread = fresh;
            fresh.start();
        }
    }

    /** Whether the thread reads, and writes what waits whenever it has read what has come. */
    boolean isAtWork() {
        return wanted && !stopped;
    }

    /** Reads on the present thread. Returns whether there is enough, or nothing more to come. */
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
                // What the reply has brought about, such as a script that is sent in full.
                source.write();
            }
        } catch (Throwable e) {
            // Whatever it was, where the next reply begins is not known any more.
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

    /** Has the thread read until nothing is owed. */
    void readInBackground() {
        if (!wanted) {
            wanted = true;
            wake();
        }
    }

    /** Fails what is owed as soon as nobody reads, and ends the thread. */
    void stop() {
        stopped = true;
        wake();
        if (taken.compareAndSet(false, true)) {
            source.abandon();
        }
    }

    /** Lets others read. */
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
                // Whoever reads wakes this thread when it leaves.
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
                // A server that takes longer is waited for, since no caller has come back.
                wanted = true;
            }
        } else {
            // Nothing is to come but the end of the connection, unless somebody sends something meanwhile.
            source.readNext(new Deadline(env, LONGEST_WAIT));
            // Such as a script that is sent in full, whose caller may not come back.
            source.write();
            active = true;
        }
    }

    /** Reads, and writes what callers have left to this thread, until nothing is owed and callers come one by one. */
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
                // Who sent this may have relied on the present thread.
                wanted = true;
            }
        }
    }
}
