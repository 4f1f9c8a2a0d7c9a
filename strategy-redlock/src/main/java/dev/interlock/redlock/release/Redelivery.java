// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.engine.environment.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The releases that one node has refused for the moment, since its disk is full or a script keeps it busy. They are
 * sent again after a pause, so that a node in trouble is not asked all the time. Safe to use from any thread.
 */
public final class Redelivery {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Environment env;
    private final Consumer<Outbox.Undelivered> sendAgain;
    private final ReentrantLock lock = new ReentrantLock();
    private final Outbox refused = new Outbox();
    private boolean pausing;

    /**
     * Creates an instance without releases.
     *
     * @param env time and threads
     * @param sendAgain sends a release; must not block
     */
    public Redelivery(Environment env, Consumer<Outbox.Undelivered> sendAgain) {
        this.env = env;
        this.sendAgain = sendAgain;
    }

    /**
     * Sends a release again later, unless its lease is over by then. Does not block.
     *
     * @param release the release
     */
    public void add(Outbox.Undelivered release) {
        boolean first;
        lock.lock();
        try {
            refused.add(release);
            first = !pausing;
            pausing = true;
        } finally {
            lock.unlock();
        }
        if (first) {
            env.newThread("interlock-redlock-release", this::pauseAndSend).start();
        }
    }

    private void pauseAndSend() {
        long until = env.nanoTime() + PAUSE_NANOS;
        for (long left = PAUSE_NANOS; left > 0; left = until - env.nanoTime()) {
            env.park(this, left);
        }
        takeAll().forEach(sendAgain);
    }

    private List<Outbox.Undelivered> takeAll() {
        lock.lock();
        try {
            pausing = false;
            List<Outbox.Undelivered> all = new ArrayList<>();
            long now = env.nanoTime();
            for (Outbox.Undelivered next = refused.poll(now); next != null; next = refused.poll(now)) {
                all.add(next);
            }
            return all;
        } finally {
            lock.unlock();
        }
    }
}
