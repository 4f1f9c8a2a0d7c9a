// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Waiting;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs tasks that no caller should wait for, on one thread that is started when there is a task. */
final class BackgroundTasks {
    private static final System.Logger LOG = System.getLogger(BackgroundTasks.class.getName());

    /** The task that runs may be a search that waits for a server. */
    private static final Duration LONGEST_END = Duration.ofSeconds(2);

    private final Environment env;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private @Nullable Thread thread;
    private boolean closed;

    BackgroundTasks(Environment env) {
        this.env = env;
    }

    /** Runs a task soon, or at once on the caller's thread if no thread can be started. */
    void run(Runnable task) {
        tasks.add(task);
        if (!wake()) {
            runAll();
        }
    }

    private boolean wake() {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            Thread present = thread;
            if (present == null) {
                present = env.newThread("interlock-primary", this::work);
                present.start();
                thread = present;
            }
            env.unpark(present);
            return true;
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "no thread could be started that follows the primary", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        while (!isClosed()) {
            runAll();
            if (tasks.isEmpty() && !isClosed()) {
                env.park(this, Long.MAX_VALUE);
            }
        }
        runAll();
        ended.complete(null);
    }

    private void runAll() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (Throwable e) {
                // The thread must not die: the next task needs it.
                LOG.log(Level.WARNING, "could not follow the primary", e);
            }
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread and waits for its end, then runs the remaining tasks on the caller's thread. */
    void close() {
        boolean works;
        lock.lock();
        try {
            closed = true;
            works = thread != null;
            if (thread != null) {
                env.unpark(thread);
            }
        } finally {
            lock.unlock();
        }
        if (works) {
            Waiting.until(env, ended, new Deadline(env, LONGEST_END));
        }
        runAll();
    }
}
