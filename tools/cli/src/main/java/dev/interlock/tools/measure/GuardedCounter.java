// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.tools.backends.PlainClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the threads of two JVM processes increment one number in Redis, in two steps under the lock. A lock that lets
 * two holders in at once loses updates.
 */
public final class GuardedCounter implements Measurement<GuardedCounter.Result> {
    private static final int PROCESSES = 2;
    private static final int THREADS = 4;

    private final Effort effort;

    public GuardedCounter(Effort effort) {
        this.effort = effort;
    }

    /**
     * The result: the expected and the actual number.
     *
     * @param processes the number of processes
     * @param threadsPerProcess the number of threads in each
     * @param expected how often the processes say they have added one
     * @param actual the number that was in Redis in the end
     */
    public record Result(int processes, int threadsPerProcess, long expected, long actual) {
        /** The number of updates that another one overwrote. */
        public long lost() {
            return expected - actual;
        }

        public boolean correct() {
            return lost() == 0;
        }
    }

    @Override
    public String title() {
        return "guarded counter in " + PROCESSES + " processes";
    }

    @Override
    public Result measure(MeasuredStrategy subject) {
        String key = MeasuredStrategy.newName("counter");
        Duration time = effort.guardedCounter();
        WorkerProcess.Task task = new WorkerProcess.Task(
                subject.strategy(),
                subject.options(),
                subject.backend().endpoints(),
                MeasuredStrategy.newName("guard"),
                key,
                THREADS,
                time.toMillis());
        List<WorkerProcess> workers = new ArrayList<>();
        try (PlainClient client = PlainClient.to(subject.backend().endpoints(), key)) {
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    workers.add(WorkerProcess.start(task));
                }
                workers.forEach(WorkerProcess::awaitReady);
                workers.forEach(WorkerProcess::go);
                long expected = 0;
                for (WorkerProcess worker : workers) {
                    expected += worker.result(time);
                }
                return new Result(PROCESSES, THREADS, expected, client.read(key));
            } finally {
                workers.forEach(WorkerProcess::close);
                client.delete(key);
            }
        }
    }
}
