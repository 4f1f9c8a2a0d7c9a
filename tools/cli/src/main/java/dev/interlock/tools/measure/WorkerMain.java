// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import com.google.gson.Gson;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.tools.backends.ChildProgram;
import dev.interlock.tools.backends.PlainClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The program of the process of a {@link WorkerProcess}: adds to a number under a lock, and says how often. */
public final class WorkerMain {
    private WorkerMain() {}

    /**
     * Runs the process.
     *
     * @param args none
     */
    public static void main(String[] args) {
        ChildProgram.runAndExit(WorkerMain::work);
    }

    private static void work() throws Exception {
        ParentJvm parent = ParentJvm.ofThisProcess();
        WorkerProcess.Task task = new Gson().fromJson(parent.nextLine(), WorkerProcess.Task.class);
        CountDownLatch go = new CountDownLatch(1);
        parent.follow(line -> go.countDown());
        List<PlainClient> clients = new ArrayList<>();
        try (DistributedLockFactory factory =
                MeasuredStrategy.open(task.strategy(), task.options(), task.endpoints())) {
            DistributedLock lock = factory.getLock(task.lock());
            List<Runnable> steps = new ArrayList<>();
            for (int i = 0; i < task.threads(); i++) {
                PlainClient client = PlainClient.to(task.endpoints(), task.key());
                clients.add(client);
                steps.add(() -> addOne(lock, client, task.key()));
            }
            UncontendedPair.pair(lock);
            parent.say(WorkerProcess.READY);
            go.await();
            parent.say(Long.toString(
                    WorkerThreads.run(steps, Duration.ofMillis(task.millis())).steps()));
        } finally {
            clients.forEach(PlainClient::close);
        }
    }

    private static void addOne(DistributedLock lock, PlainClient client, String key) {
        lock.lock();
        try {
            client.incrementUnguarded(key);
        } finally {
            lock.unlock();
        }
    }
}
