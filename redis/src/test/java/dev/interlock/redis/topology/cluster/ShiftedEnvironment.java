// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import static dev.interlock.redis.topology.cluster.ClusterFixture.LONG;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The system, but for a monotonic clock that can be set forward, and with a list of the threads that were started. */
final class ShiftedEnvironment implements Environment {
    private final Environment system = Environment.system();
    private final AtomicLong ahead = new AtomicLong();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    void pass(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    List<Thread> threads() {
        return List.copyOf(threads);
    }

    void awaitThreadsEnded() {
        await().atMost(LONG).until(() -> threads.stream().noneMatch(Thread::isAlive));
    }

    @Override
    public long nanoTime() {
        return system.nanoTime() + ahead.get();
    }

    @Override
    public long currentTimeMillis() {
        return system.currentTimeMillis();
    }

    @Override
    public void park(Object blocker, long nanos) {
        system.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        system.unpark(thread);
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        return keep(system.newThread(name, task));
    }

    @Override
    public Thread newWaitingThread(String name, Runnable task) {
        return keep(system.newWaitingThread(name, task));
    }

    private Thread keep(Thread thread) {
        threads.add(thread);
        return thread;
    }

    @Override
    public long nextLong(long bound) {
        return system.nextLong(bound);
    }

    @Override
    public String newToken() {
        return system.newToken();
    }
}
