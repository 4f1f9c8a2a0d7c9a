// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.function.Supplier;

/** A machine whose wall clock is ahead, or behind, by as much as is told at the time. */
record SkewedWallClock(Environment env, Supplier<Duration> ahead) implements Environment {
    SkewedWallClock(Environment env, Duration ahead) {
        this(env, () -> ahead);
    }

    @Override
    public long nanoTime() {
        return env.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return env.currentTimeMillis() + ahead.get().toMillis();
    }

    @Override
    public void park(Object blocker, long nanos) {
        env.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        env.unpark(thread);
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        return env.newThread(name, task);
    }

    @Override
    public long nextLong(long bound) {
        return env.nextLong(bound);
    }

    @Override
    public String newToken() {
        return env.newToken();
    }
}
