// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.engine.environment.Environment;

/**
 * The environment of the running JVM, except that the monotonic clock stands still: nothing that holds for a second
 * ever ends.
 */
final class TimelessEnvironment implements Environment {
    private final Environment env = Environment.system();
    private final long nanos = env.nanoTime();

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long currentTimeMillis() {
        return env.currentTimeMillis();
    }

    @Override
    public void park(Object blocker, long parkNanos) {
        env.park(blocker, parkNanos);
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
