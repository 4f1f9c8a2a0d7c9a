// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs actions of the user's one after another, on a daemon thread that is there while there are any. Safe to use from any thread. */
final class Notices {
    private static final System.Logger LOG = System.getLogger(Notices.class.getPackageName());

    private final Environment env;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    Notices(Environment env) {
        this.env = env;
    }

    void add(Runnable action) {
        mutex.lock();
        try {
            waiting.add(action);
            if (!running) {
                env.newThread("interlock-notice", this::run).start();
                running = true;
            }
        } finally {
            mutex.unlock();
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
        mutex.lock();
        try {
            running = !waiting.isEmpty();
            return waiting.poll();
        } finally {
            mutex.unlock();
        }
    }
}
