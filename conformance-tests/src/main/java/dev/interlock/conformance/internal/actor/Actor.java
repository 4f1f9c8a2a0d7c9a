// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a test. It makes the calls that the test gives it, one after another.
 *
 * <p>Its interrupt status outlasts a call: an interrupt between two calls affects the second one.
 */
public final class Actor {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int STILL_POLLS = 10;

    private final String name;
    private final BlockingQueue<Runnable> calls = new LinkedBlockingQueue<>();

    /**
     * Keeps the results reachable until the end of the rule: a lock may end the lease of a handle that was
     * garbage-collected.
     */
    private final Queue<Pending<?>> made = new ConcurrentLinkedQueue<>();

    private final Thread thread;
    private volatile boolean dismissed;

    private Actor(String name, Function<Runnable, Thread> start) {
        this.name = name;
        this.thread = start.apply(this::act);
    }

    public static Actor platform(String name) {
        return new Actor(name, task -> started(new Thread(task, name)));
    }

    /** An actor on a virtual thread, which needs Java 21. */
    public static Actor virtual(String name) {
        return new Actor(name, Actor::startVirtual);
    }

    /** An actor on a thread that is {@code equal} to that of any other twin of this name. */
    public static Actor twin(String name) {
        return new Actor(name, task -> started(new Twin(task, name)));
    }

    /** An actor on a thread of a group. */
    public static Actor in(ThreadGroup group, String name) {
        return new Actor(name, task -> started(new Thread(group, task, name)));
    }

    private static Thread started(Thread thread) {
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A thread whose {@code equals} compares names, as a subclass may do. */
    private static final class Twin extends Thread {
        Twin(Runnable task, String name) {
            super(task, name);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Twin twin && twin.getName().equals(getName());
        }

        @Override
        public int hashCode() {
            return getName().hashCode();
        }
    }

    private static Thread startVirtual(Runnable task) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no virtual threads", e);
        }
    }

    private void act() {
        boolean interrupted = false;
        while (!dismissed) {
            try {
                Runnable call = calls.take();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                call.run();
                interrupted = Thread.interrupted();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    public String name() {
        return name;
    }

    public Thread thread() {
        return thread;
    }

    /** Begins a call, which runs after the calls that were begun before, and returns at once. */
    public <T extends @Nullable Object> Pending<T> begin(String what, Callable<T> call) {
        Pending<T> pending = new Pending<>(this, what, call);
        made.add(pending);
        calls.add(pending.task());
        return pending;
    }

    public Pending<@Nullable Void> beginTo(String what, Action action) {
        return begin(what, () -> {
            action.run();
            return null;
        });
    }

    /** Makes a call and waits for its result. */
    public <T extends @Nullable Object> T call(String what, Callable<T> call) {
        return begin(what, call).result();
    }

    /** Makes a call and waits for its end. */
    public void does(String what, Action action) {
        beginTo(what, action).result();
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** Asks the thread for its interrupt status, and leaves the status as it is. */
    public boolean isInterrupted() {
        return call("isInterrupted()", () -> Thread.currentThread().isInterrupted());
    }

    /**
     * Waits until the thread has been blocked for a while, or the call has ended, so that the call has probably begun
     * to wait. The test relies on that only to meet the case that it is about; it proves nothing.
     */
    public void settle(Pending<?> call) {
        int still = 0;
        long until = System.nanoTime() + Scale.PATIENCE.toNanos();
        while (still < STILL_POLLS && !call.isDone() && System.nanoTime() - until < 0) {
            Thread.State state = thread.getState();
            boolean waits = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            still = waits && call.hasBegun() ? still + 1 : 0;
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Returns an exception with the thread's present stack trace, for a failure message. */
    public Throwable whereabouts() {
        Throwable where = new AssertionError(name + " is " + thread.getState());
        where.setStackTrace(thread.getStackTrace());
        return where;
    }

    /** Lets the thread end after the present call, or at once if there is none. */
    public void dismiss() {
        dismissed = true;
        thread.interrupt();
    }

    /** Lets the thread end after the present call, and waits for it. */
    public void dismissAndJoin() {
        dismissed = true;
        calls.add(() -> {});
        try {
            thread.join(Scale.PATIENCE.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError("the test itself was interrupted", e);
        }
        if (thread.isAlive()) {
            throw new AssertionError("the thread has not ended", whereabouts());
        }
    }

    /** Something to do that may fail in any way. */
    public interface Action {
        void run() throws Exception;
    }
}
