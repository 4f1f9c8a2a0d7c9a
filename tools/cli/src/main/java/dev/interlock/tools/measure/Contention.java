// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Measures several contenders that acquire one lock in turn, as fast as they can. */
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
     * The result of contention.
     *
     * @param clients the number of factories
     * @param threadsPerClient the number of threads that use each
     * @param acquisitionsPerSecond how often the lock was taken
     * @param handOffsPerSecond how often it went to another thread than the one that had it last
     * @param commandsPerAcquisition how many commands an acquisition and its release need
     * @param fairness Jain's index of the contenders' shares: 1 if all are the same, 1/n if one of n gets everything
     * @param leastShare the share of the contender that got the least, where 1 is as much as all others
     */
    public record Result(
            int clients,
            int threadsPerClient,
            double acquisitionsPerSecond,
            double handOffsPerSecond,
            double commandsPerAcquisition,
            double fairness,
            double leastShare) {}

    @Override
    public String title() {
        return clients == 1 ? threadsPerClient + " threads of one client" : clients + " clients";
    }

    @Override
    public Result measure(MeasuredStrategy subject) {
        List<DistributedLockFactory> factories = new ArrayList<>();
        try {
            String name = MeasuredStrategy.newName("contended");
            Turns turns = new Turns(clients * threadsPerClient);
            List<Runnable> contenders = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                DistributedLockFactory factory = subject.open();
                factories.add(factory);
                for (int j = 0; j < threadsPerClient; j++) {
                    contenders.add(contender(factory.getLock(name), turns, contenders.size()));
                }
            }
            WorkerThreads.run(contenders, effort.warmUp());
            turns.reset();
            WorkerThreads.Work timed = WorkerThreads.run(contenders, effort.contended());
            long handOffs = turns.handOffs;
            double fairness = turns.fairness();
            double leastShare = turns.leastShare();
            long[] acquisitions = new long[1];
            long commands = subject.backend()
                    .commands(() -> acquisitions[0] =
                            WorkerThreads.run(contenders, effort.counted()).steps());
            return new Result(
                    clients,
                    threadsPerClient,
                    timed.stepsPerSecond(),
                    handOffs / timed.seconds(),
                    (double) commands / acquisitions[0],
                    fairness,
                    leastShare);
        } finally {
            factories.forEach(DistributedLockFactory::close);
        }
    }

    /**
     * Counts the acquisitions of each contender. Written under the lock that is measured; if that is broken, the counts
     * are slightly wrong.
     */
    private static final class Turns {
        private final AtomicLongArray byContender;
        private volatile int last = -1;
        private volatile long handOffs;

        Turns(int contenders) {
            byContender = new AtomicLongArray(contenders);
        }

        void reset() {
            handOffs = 0;
            for (int i = 0; i < byContender.length(); i++) {
                byContender.set(i, 0);
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // The lock that is measured guards it.
        void take(int contender) {
            byContender.incrementAndGet(contender);
            if (last != contender) {
                last = contender;
                handOffs++;
            }
        }

        double fairness() {
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < byContender.length(); i++) {
                sum += byContender.get(i);
                squares += (double) byContender.get(i) * byContender.get(i);
            }
            return squares == 0 ? 0 : sum * sum / (byContender.length() * squares);
        }

        double leastShare() {
            double sum = 0;
            double least = Double.MAX_VALUE;
            for (int i = 0; i < byContender.length(); i++) {
                sum += byContender.get(i);
                least = Math.min(least, (double) byContender.get(i));
            }
            return sum == 0 ? 0 : least * byContender.length() / sum;
        }
    }

    private static Runnable contender(DistributedLock lock, Turns turns, int number) {
        return () -> {
            lock.lock();
            try {
                turns.take(number);
            } finally {
                lock.unlock();
            }
        };
    }
}
