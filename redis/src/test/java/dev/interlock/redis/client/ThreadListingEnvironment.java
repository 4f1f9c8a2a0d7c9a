// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An environment with a list of the threads that were made. */
public final class ThreadListingEnvironment extends ShiftedEnvironment {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    public List<Thread> threads() {
        return List.copyOf(threads);
    }

    public void awaitThreadsEnded() {
        await().atMost(LONG).until(() -> threads.stream().noneMatch(Thread::isAlive));
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        return keep(super.newThread(name, task));
    }

    @Override
    public Thread newWaitingThread(String name, Runnable task) {
        return keep(super.newWaitingThread(name, task));
    }

    private Thread keep(Thread thread) {
        threads.add(thread);
        return thread;
    }
}
