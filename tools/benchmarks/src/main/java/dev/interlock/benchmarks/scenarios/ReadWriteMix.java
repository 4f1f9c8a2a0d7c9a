// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Guarded;
import dev.interlock.benchmarks.figures.Metric;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.stream.Stream;

/** Clients that read and write under one read/write lock as fast as they can. */
final class ReadWriteMix extends Scenario {
    private final Duration time;
    private final int clients;
    private final int writeEvery;

    /**
     * Creates the scenario.
     *
     * @param time for how long to measure
     * @param clients how many clients there are
     * @param writeEvery every how many acquisitions of each client one is for writing; zero for none
     */
    ReadWriteMix(String name, String title, Duration time, int clients, int writeEvery) {
        super(
                name,
                title,
                Throughput.metrics(Stream.of(Metric.ACQUIRED_PER_SECOND, Metric.MOST_TO_LEAST)),
                Candidate::readsAndWrites);
        this.time = time;
        this.clients = clients;
        this.writeEvery = writeEvery;
    }

    @Override
    Figures measure(Testbed stage) {
        Workload load = new Workload(stage, false, Workload.PLATFORM_THREADS);
        for (int i = 0; i < clients; i++) {
            // Readers hold the lock at the same time, so each contender has guarded data of its own.
            load.add(new Mixed(stage.client(Terms.SHORT).readWriteLock("shared"), writeEvery), new Guarded());
        }
        return load.run(time);
    }

    /** Takes one side or the other, in turn. Used by one thread. */
    private static final class Mixed implements Lock {
        private final ReadWriteLock lock;
        private final int writeEvery;
        private int acquisitions;
        private Lock held;

        Mixed(ReadWriteLock lock, int writeEvery) {
            this.lock = lock;
            this.writeEvery = writeEvery;
            this.held = lock.readLock();
        }

        private Lock next() {
            acquisitions++;
            boolean writes = writeEvery > 0 && acquisitions % writeEvery == 0;
            held = writes ? lock.writeLock() : lock.readLock();
            return held;
        }

        @Override
        public void lock() {
            next().lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            next().lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return next().tryLock();
        }

        @Override
        public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
            return next().tryLock(wait, unit);
        }

        @Override
        public void unlock() {
            held.unlock();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }
    }
}
