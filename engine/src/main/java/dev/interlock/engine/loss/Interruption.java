// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.threads.Wait;

/**
 * Coordinates a thread that learns of the loss of its lock, and the engine, which interrupts the thread because of that
 * loss: after the thread was told, it is not interrupted any more. Safe to use from any thread.
 */
public final class Interruption {
    private boolean told;
    private boolean running;

    Interruption() {}

    /** Interrupts the owner, unless it was already told of the loss. */
    public void run(Environment env, Thread owner) {
        synchronized (this) {
            if (told) {
                return;
            }
            running = true;
        }
        try {
            owner.interrupt();
        } finally {
            synchronized (this) {
                running = false;
            }
            env.unpark(owner);
        }
    }

    /**
     * Returns when no interrupt because of the loss can come any more. By the owner. An overridden {@code interrupt()}
     * of the application may need a lock that the owner has, so this waits for it no longer than the patience.
     */
    public void preclude(Environment env, long patienceNanos) {
        if (isPrecluded()) {
            return;
        }
        Thread owner = Thread.currentThread();
        boolean bounded = !isPlatform(owner);
        long startNanos = env.nanoTime();
        Wait wait = Wait.uninterruptibly(env);
        wait.takeInterrupt();
        try {
            while (!isPrecluded()) {
                long left = bounded ? startNanos + patienceNanos - env.nanoTime() : Long.MAX_VALUE;
                if (left <= 0) {
                    return;
                }
                wait.park(this, left);
            }
        } finally {
            wait.end();
        }
    }

    private synchronized boolean isPrecluded() {
        told = true;
        return !running;
    }

    /**
     * Returns whether the class of a thread is one of the platform's, whose {@code interrupt()} runs no code of the
     * application.
     */
    public static boolean isPlatform(Thread thread) {
        return thread.getClass() == Thread.class || thread.getClass().getModule() == Thread.class.getModule();
    }
}
