// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs callbacks of the application, one after another, on a daemon thread that ends when there are no more. Safe to
 * use from any thread.
 */
public final class Notices {
    private static final QuietLog LOG = QuietLog.of(Notices.class);

    private final Environment env;
    private final String threadName;
    private final Object lock = new Object();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    public Notices(Environment env, String threadName) {
        this.env = env;
        this.threadName = threadName;
    }

    /** Queues an action to run. Never throws. */
    public void add(Runnable action) {
        boolean starts;
        synchronized (lock) {
            waiting.add(action);
            starts = !running;
            running = true;
        }
        if (starts) {
            start();
        }
    }

    /** Not under the lock, since the application may supply the threads. */
    private void start() {
        try {
            env.newThread(threadName, this::run).start();
        } catch (Throwable e) {
            // The actions run with the next one for which a thread can be started.
            synchronized (lock) {
                running = false;
            }
            LOG.log(System.Logger.Level.ERROR, "a thread " + threadName + " could not be started", e);
        }
    }

    private void run() {
        for (Runnable action = next(); action != null; action = next()) {
            // An interrupt status that one action leaves set must not disturb the next one.
            Thread.interrupted();
            try {
                action.run();
            } catch (Throwable e) {
                LOG.log(System.Logger.Level.WARNING, "an onLoss action failed", e);
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (lock) {
            running = !waiting.isEmpty();
            return waiting.poll();
        }
    }
}
