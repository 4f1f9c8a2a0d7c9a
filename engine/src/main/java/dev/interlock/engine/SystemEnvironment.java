// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The environment of the running JVM. */
final class SystemEnvironment implements Environment {
    static final SystemEnvironment INSTANCE = new SystemEnvironment();

    private static final int TOKEN_BYTES = 20;

    private final SecureRandom secureRandom = new SecureRandom();

    private SystemEnvironment() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void park(Object blocker, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(blocker);
        } else {
            LockSupport.parkNanos(blocker, nanos);
        }
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        // Not the group of whoever locks first: interrupting that group would reach the thread.
        Thread thread = new Thread(topGroup(), task, name, 0, false);
        thread.setDaemon(true);
        return thread;
    }

    private static @Nullable ThreadGroup topGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group != null && group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    @Override
    public long nextLong(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }

    @Override
    public String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        secureRandom.nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
}
