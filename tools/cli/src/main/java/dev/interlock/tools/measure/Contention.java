// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Lets several contenders take one lock in turns, as fast as they get it. */
public final class Contention implements Measurement<Contention.Result> {
    private final Effort effort;
    private final int clients;
    private final int threadsPerClient;

    public Contention(Effort effort, int clients, int threadsPerClient) {
        this.effort = effort;
        this.clients = clients;
        this.threadsPerClient = threadsPerClient;
    }

    /**
     * What contenders achieve.
     *
     * @param clients the number of factories
     * @param threadsPerClient the number of threads that use each
     * @param acquisitionsPerSecond how often the lock was taken
     * @param handOffsPerSecond how often it went to another thread than the one that had it last
     * @param commandsPerAcquisition how many commands that takes
     */
    public record Result(
            int clients,
            int threadsPerClient,
            double acquisitionsPerSecond,
            double handOffsPerSecond,
            double commandsPerAcquisition) {}

    @Override
    public String title() {
        return clients == 1 ? threadsPerClient + " threads of one client" : clients + " clients";
    }

    @Override
    public Result measure(MeasuredStrategy subject) {
        List<DistributedLockFactory> factories = new ArrayList<>();
        try {
            String name = MeasuredStrategy.newName("contended");
            Turns turns = new Turns();
            List<Runnable> contenders = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                DistributedLockFactory factory = subject.open();
                factories.add(factory);
                for (int j = 0; j < threadsPerClient; j++) {
                    contenders.add(contender(factory.getLock(name), turns));
                }
            }
            Crew.run(contenders, effort.warmUp());
            turns.handOffs.reset();
            Crew.Work timed = Crew.run(contenders, effort.contended());
            long handOffs = turns.handOffs.sum();
            long[] acquisitions = new long[1];
            long commands = subject.backend()
                    .commands(() -> acquisitions[0] =
                            Crew.run(contenders, effort.counted()).steps());
            return new Result(
                    clients,
                    threadsPerClient,
                    timed.stepsPerSecond(),
                    handOffs / timed.seconds(),
                    (double) commands / acquisitions[0]);
        } finally {
            factories.forEach(DistributedLockFactory::close);
        }
    }

    /** Who had the lock last, and how often that changed: written under the lock that is measured, if it works. */
    private static final class Turns {
        private volatile long last = -1;
        private final LongAdder handOffs = new LongAdder();

        void take(long contender) {
            if (last != contender) {
                last = contender;
                handOffs.increment();
            }
        }
    }

    private static Runnable contender(DistributedLock lock, Turns turns) {
        return () -> {
            lock.lock();
            try {
                turns.take(Thread.currentThread().getId());
            } finally {
                lock.unlock();
            }
        };
    }
}
