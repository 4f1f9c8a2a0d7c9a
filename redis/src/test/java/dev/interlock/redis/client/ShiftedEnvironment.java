// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import java.util.concurrent.atomic.AtomicLong;

/** The real environment, whose monotonic clock can be put forward. */
public class ShiftedEnvironment implements Environment {
    private final Environment real = Environment.system();
    private final AtomicLong shift = new AtomicLong();

    public void putForward(long nanos) {
        shift.addAndGet(nanos);
    }

    @Override
    public long nanoTime() {
        return real.nanoTime() + shift.get();
    }

    @Override
    public long currentTimeMillis() {
        return real.currentTimeMillis();
    }

    @Override
    public void park(Object blocker, long nanos) {
        real.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        real.unpark(thread);
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        return real.newThread(name, task);
    }

    @Override
    public Thread newWaitingThread(String name, Runnable task) {
        return real.newWaitingThread(name, task);
    }

    @Override
    public long nextLong(long bound) {
        return real.nextLong(bound);
    }

    @Override
    public String newToken() {
        return real.newToken();
    }
}
