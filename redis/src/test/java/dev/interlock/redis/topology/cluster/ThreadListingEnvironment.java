// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import static dev.interlock.redis.topology.cluster.ClusterFixture.LONG;
import static org.awaitility.Awaitility.await;

import dev.interlock.redis.client.ShiftedEnvironment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An environment with a list of the threads that were made. */
final class ThreadListingEnvironment extends ShiftedEnvironment {
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    List<Thread> threads() {
        return List.copyOf(threads);
    }

    void awaitThreadsEnded() {
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
