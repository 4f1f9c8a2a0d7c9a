// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A thread in a {@link VirtualEnvironment} that makes one call after another. */
public final class Person {
    /** A call to make. */
    public interface Action {
        void run() throws Exception;
    }

    private final VirtualEnvironment env;
    private final Thread thread;
    private volatile @Nullable Call<?> task;
    private volatile boolean ended;

    Person(VirtualEnvironment env, Function<Runnable, Thread> maker) {
        this.env = env;
        this.thread = maker.apply(this::live);
        thread.start();
        env.settle();
    }

    private void live() {
        while (!ended) {
            Call<?> next = task;
            if (next == null) {
                env.idle();
            } else {
                next.run();
                task = null;
            }
        }
    }

    public Thread thread() {
        return thread;
    }

    /** Begins a call, and runs it until it ends or waits. */
    public Call<Void> does(Action action) {
        return asks(() -> {
            action.run();
            return null;
        });
    }

    /** Begins a call with a result, and runs it until it ends or waits. */
    public <T> Call<T> asks(Callable<T> question) {
        Call<T> call = prepares(question);
        env.settle();
        return call;
    }

    /** As {@link #asks}, but begins only when the environment settles next. */
    <T> Call<T> prepares(Callable<T> question) {
        if (task != null) {
            throw new IllegalStateException(thread.getName() + " is busy");
        }
        Call<T> call = new Call<>(question);
        task = call;
        env.wakeIdle(thread);
        return call;
    }

    public void interrupt() {
        thread.interrupt();
        env.settle();
    }

    /** Ends the thread, if it does nothing. */
    public void end() {
        if (!ended && task == null) {
            ended = true;
            env.wakeIdle(thread);
            env.settle();
        }
    }

    /** A call and its outcome. */
    public static final class Call<T> {
        private final Callable<T> question;
        private volatile boolean done;
        private volatile boolean interruptedAfter;
        private volatile @Nullable T value;
        private volatile @Nullable Throwable failure;

        Call(Callable<T> question) {
            this.question = question;
        }

        private void run() {
            try {
                value = question.call();
            } catch (Throwable e) {
                failure = e;
            } finally {
                interruptedAfter = Thread.interrupted();
                done = true;
            }
        }

        public boolean isDone() {
            return done;
        }

        /** The result, if the call has ended. */
        public T value() {
            if (!done) {
                throw new AssertionError("still waiting");
            }
            if (failure != null) {
                throw new AssertionError("failed", failure);
            }
            return value;
        }

        /** The exception; {@code null} if there was none. */
        @Nullable
        public Throwable failure() {
            if (!done) {
                throw new AssertionError("still waiting");
            }
            return failure;
        }

        /** Returns whether the thread's interrupt status was set at the end; it has been cleared since. */
        public boolean interruptedAfter() {
            if (!done) {
                throw new AssertionError("still waiting");
            }
            return interruptedAfter;
        }
    }
}
