// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Gives each test a thread in a group of its own, to tell the threads that it starts from those of other tests. */
final class OwnThreads implements InvocationInterceptor {
    /** The names of the threads in the caller's group that a node, or a library under it, has started. */
    static Set<String> ofNodes() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        // More than a test starts between the two calls; what did not fit would not be seen.
        Thread[] threads = new Thread[group.activeCount() + 100];
        return Arrays.stream(threads, 0, group.enumerate(threads))
                .map(Thread::getName)
                .filter(name -> name.contains("interlock") || name.contains("lettuce") || name.contains("jedis"))
                .collect(Collectors.toSet());
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runInGroup(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runInGroup(invocation, context);
    }

    private static void runInGroup(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
        FutureTask<Void> test = new FutureTask<>(() -> {
            try {
                return invocation.proceed();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        });
        Thread thread = new Thread(new ThreadGroup(context.getDisplayName()), test, "test");
        thread.start();
        try {
            test.get();
        } catch (ExecutionException e) {
            throw e.getCause();
        } catch (InterruptedException e) {
            thread.interrupt();
            thread.join();
            throw e;
        }
    }
}
