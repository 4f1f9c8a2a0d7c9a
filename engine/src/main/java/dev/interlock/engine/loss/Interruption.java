// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import dev.interlock.engine.environment.Environment;

/**
 * Settles between a thread that learns of the loss of its lock by itself and the engine, which interrupts it because of that
 * loss: whoever was told is not interrupted afterwards. Safe to use from any thread.
 */
public final class Interruption {
    private boolean told;
    private boolean running;

    Interruption() {}

    /** Interrupts the owner, unless it was told already. */
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

    /** Returns when no interrupt because of the loss can come any more. By the owner. */
    public void preclude(Environment env) {
        while (!isPrecluded()) {
            env.park(this, Long.MAX_VALUE);
        }
    }

    private synchronized boolean isPrecluded() {
        told = true;
        return !running;
    }
}
