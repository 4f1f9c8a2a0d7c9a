// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.environment;

import java.lang.reflect.Method;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The environment of the running JVM. */
final class SystemEnvironment implements Environment {
    static final SystemEnvironment INSTANCE = new SystemEnvironment();

    private static final int TOKEN_BYTES = 16;

    private final SecureRandom secureRandom = new SecureRandom();
    private final @Nullable VirtualThreads virtualThreads = VirtualThreads.ofThisRuntime();

    /** Access to virtual threads by reflection, since they came after the Java version that this is compiled for. */
    private record VirtualThreads(Method ofVirtual, Method name, Method unstarted) {
        static @Nullable VirtualThreads ofThisRuntime() {
            try {
                Class<?> builder = Class.forName("java.lang.Thread$Builder");
                return new VirtualThreads(
                        Thread.class.getMethod("ofVirtual"),
                        builder.getMethod("name", String.class),
                        builder.getMethod("unstarted", Runnable.class));
            } catch (ReflectiveOperationException e) {
                return null;
            }
        }

        Thread unstarted(String threadName, Runnable task) {
            try {
                return (Thread) unstarted.invoke(name.invoke(ofVirtual.invoke(null), threadName), task);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a virtual thread cannot be made", e);
            }
        }
    }

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
        // Not the group of the thread that locks first: interrupting that group would interrupt this thread.
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
    public Thread newWaitingThread(String name, Runnable task) {
        return virtualThreads == null ? newThread(name, task) : virtualThreads.unstarted(name, task);
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
