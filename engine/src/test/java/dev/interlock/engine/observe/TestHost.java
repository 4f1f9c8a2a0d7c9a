// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Real threads, and a clock that the test turns. */
final class TestHost {
    final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    final List<Thread> threads = new CopyOnWriteArrayList<>();
    final AtomicInteger parks = new AtomicInteger();

    /** How many of the next threads cannot be started. */
    final AtomicInteger refusals = new AtomicInteger();

    Host host() {
        return new Host(clock::get, this::park, LockSupport::unpark, this::newThread);
    }

    private void park(Object blocker, long nanos) {
        parks.incrementAndGet();
        LockSupport.park(blocker);
    }

    private Thread newThread(String name, Runnable task) {
        boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        Thread thread = new Thread(task, name) {
            @Override
            public void start() {
                if (refused) {
                    throw new OutOfMemoryError("planted");
                }
                super.start();
            }
        };
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /** Moves the clock on, and wakes the threads as if their time had passed. */
    void advance(long nanos) {
        clock.addAndGet(nanos);
        threads.forEach(LockSupport::unpark);
    }

    /** Waits until all threads have ended. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
