// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;

/** The real environment with a wrong wall clock, and with time that passes only here. */
public final class SkewedEnvironment implements Environment {
    private final Environment real = Environment.system();
    private final long offsetMillis;
    private volatile Duration passed = Duration.ZERO;

    public SkewedEnvironment(Duration offset) {
        this.offsetMillis = offset.toMillis();
    }

    /** Lets time pass here but not on servers, as if their clocks were set back. */
    public void goOn(Duration time) {
        passed = passed.plus(time);
    }

    @Override
    public long nanoTime() {
        return real.nanoTime() + passed.toNanos();
    }

    @Override
    public long currentTimeMillis() {
        return real.currentTimeMillis() + offsetMillis + passed.toMillis();
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
    public long nextLong(long bound) {
        return real.nextLong(bound);
    }

    @Override
    public String newToken() {
        return real.newToken();
    }
}
