// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.environment;

import java.util.concurrent.ThreadFactory;

/** An environment whose threads come from the application's thread factory. */
public final class UserThreads implements Environment {
    private final Environment env;
    private final ThreadFactory factory;

    /**
     * Creates the environment.
     *
     * @param env provides all but the threads
     * @param factory creates the threads
     */
    public UserThreads(Environment env, ThreadFactory factory) {
        this.env = env;
        this.factory = factory;
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        Thread thread = factory.newThread(task);
        if (thread == null) {
            throw new IllegalStateException("the thread factory of the configuration made no thread for " + name
                    + ": it must return one, which is not started");
        }
        return thread;
    }

    @Override
    public Thread newWaitingThread(String name, Runnable task) {
        return newThread(name, task);
    }

    @Override
    public long nanoTime() {
        return env.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return env.currentTimeMillis();
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
    public long nextLong(long bound) {
        return env.nextLong(bound);
    }

    @Override
    public String newToken() {
        return env.newToken();
    }
}
