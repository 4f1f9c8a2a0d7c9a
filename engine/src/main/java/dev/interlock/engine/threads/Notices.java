// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Runs code of the user's, one piece after another, on a daemon thread that is there while there is any. Safe to use from any thread. */
public final class Notices {
    private static final System.Logger LOG = System.getLogger(Notices.class.getPackageName());

    private final Environment env;
    private final String threadName;
    private final Object lock = new Object();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    public Notices(Environment env, String threadName) {
        this.env = env;
        this.threadName = threadName;
    }

    /** Has an action run; does not throw, whatever happens. */
    public void add(Runnable action) {
        synchronized (lock) {
            waiting.add(action);
            if (!running) {
                try {
                    env.newThread(threadName, this::run).start();
                    running = true;
                } catch (Throwable e) {
                    // The action runs with the next one for which a thread can be started.
                    LOG.log(System.Logger.Level.ERROR, "a thread " + threadName + " could not be started", e);
                }
            }
        }
    }

    private void run() {
        for (Runnable action = next(); action != null; action = next()) {
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
