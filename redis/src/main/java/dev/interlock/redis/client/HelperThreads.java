// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads that do blocking I/O in place of virtual ones, whose sockets the JDK closes when they are
 * interrupted.
 *
 * <p>A call that is made on a platform thread runs on that thread.
 */
public final class HelperThreads {
    private static final int IDLE_SECONDS = 10;
    private static final @Nullable MethodHandle IS_VIRTUAL = findIsVirtual();

    private final Environment env;
    private final Failures failures;
    private final ThreadPoolExecutor executor;

    public HelperThreads(Environment env, Failures failures, int max) {
        this.env = env;
        this.failures = failures;
        this.executor = new ThreadPoolExecutor(
                max,
                max,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> env.newThread("interlock-jedis", task));
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Carries out a call that ends by itself soon after the deadline. Interrupts do not end it.
     *
     * @throws dev.interlock.LockBackendException if the call throws it, or has not begun by the deadline and never will
     */
    public <T extends @Nullable Object> T run(Supplier<T> call, Deadline deadline) {
        if (!isVirtual(Thread.currentThread())) {
            return call.get();
        }
        CompletableFuture<T> outcome = new CompletableFuture<>();
        Runnable task = () -> complete(outcome, call);
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            throw failures.closed(e);
        }
        Waiting.until(env, outcome, deadline);
        if (!outcome.isDone() && executor.remove(task)) {
            throw failures.noneFree(deadline);
        }
        Waiting.until(env, outcome);
        try {
            return outcome.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static <T extends @Nullable Object> void complete(CompletableFuture<T> outcome, Supplier<T> call) {
        try {
            outcome.complete(call.get());
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
    }

    /** Ends the threads when the calls that were made have ended. */
    public void close() {
        executor.shutdown();
    }

    /** Returns whether a thread is virtual. Virtual threads must not block on a shared socket. */
    public static boolean isVirtual(Thread thread) {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual throws nothing", e);
        }
    }

    /** Java 17 knows neither virtual threads nor this method. */
    private static @Nullable MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}
