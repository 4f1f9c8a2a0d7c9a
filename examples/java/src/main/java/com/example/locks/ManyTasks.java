// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A thread for each of very many tasks, which share a few locks. */
public final class ManyTasks {
    private static final int LOCKS = 10;
    private static final int PLATFORM_THREADS = 200;

    private ManyTasks() {}

    /**
     * Runs tasks that each add one to one of ten counters that a lock guards.
     *
     * @param args where the servers are, such as {@code redis://localhost}, and how many tasks to run
     * @throws Exception if a task fails
     */
    public static void main(String[] args) throws Exception {
        try (DistributedLockFactory locks = DistributedLocks.getInstance("set-nx-px", LockConfig.of(args[0]))) {
            System.out.println(run(locks, Integer.parseInt(args[1])));
        }
    }

    static String run(DistributedLockFactory locks, int tasks) throws InterruptedException, ExecutionException {
        List<DistributedLock> shared = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            shared.add(locks.getLock("counter:" + i));
        }
        int[] counters = new int[LOCKS];
        ExecutorService threads = newThreads();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                int counter = i % LOCKS;
                running.add(threads.submit(() -> add(shared.get(counter), counters, counter)));
            }
            for (Future<?> task : running) {
                task.get();
            }
        } finally {
            threads.shutdown();
        }
        int sum = 0;
        for (int counter : counters) {
            sum += counter;
        }
        return sum + " of " + tasks + " counted by "
                + (hasVirtualThreads() ? "virtual threads" : "platform threads: virtual ones need Java 21");
    }

    private static void add(DistributedLock lock, int[] counters, int counter) {
        lock.lock();
        try {
            counters[counter]++;
        } finally {
            lock.unlock();
        }
    }

    private static boolean hasVirtualThreads() {
        return Runtime.version().feature() >= 21;
    }

    /**
     * On Java 21 this is {@code Executors.newVirtualThreadPerTaskExecutor()}, which code that is compiled for Java 17
     * too can only call by its name.
     */
    private static ExecutorService newThreads() {
        if (!hasVirtualThreads()) {
            return Executors.newFixedThreadPool(PLATFORM_THREADS);
        }
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual threads, although this is Java 21 or newer", e);
        }
    }
}
