// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that leads a connection in place of virtual threads, whose sockets the JDK closes when they are
 * interrupted.
 *
 * <p>The thread starts when it is first needed, and ends after a while of idleness.
 */
final class PlatformLeader {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment env;
    private final Runnable lead;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private boolean asked;
    private boolean stopped;

    /**
     * Creates a leader whose thread has not started.
     *
     * @param lead leads the connection, and returns when there is nothing left to do; throws nothing
     */
    PlatformLeader(Environment env, Runnable lead) {
        this.env = env;
        this.lead = lead;
    }

    /** Makes the thread lead, and returns at once. Throws if no thread can be started. */
    void lead() {
        lock.lock();
        try {
            if (thread == null) {
                Thread fresh = env.newThread("interlock-redis", this::run);
                fresh.start();
                thread = fresh;
            }
            asked = true;
            env.unpark(thread);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread when its current task is done. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            if (thread != null) {
                env.unpark(thread);
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (awaitTask()) {
            lead.run();
        }
    }

    private boolean awaitTask() {
        long end = env.nanoTime() + IDLE_NANOS;
        while (true) {
            long left = end - env.nanoTime();
            lock.lock();
            try {
                if (asked) {
                    asked = false;
                    return true;
                }
                if (stopped || left <= 0) {
                    thread = null;
                    return false;
                }
            } finally {
                lock.unlock();
            }
            env.park(this, left);
        }
    }
}
