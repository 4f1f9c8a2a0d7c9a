// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import com.google.gson.Gson;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the process of a {@link WorkerProcess} does: adds to a number under a lock, and says how often. */
@Command(name = WorkerCommand.NAME, hidden = true)
final class WorkerCommand implements Callable<Integer> {
    static final String NAME = "worker";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        WorkerProcess.Task task = new Gson().fromJson(in.readLine(), WorkerProcess.Task.class);
        CountDownLatch go = new CountDownLatch(1);
        Thread parent = new Thread(() -> followParent(in, go), "follow-parent");
        parent.setDaemon(true);
        parent.start();
        List<PlainClient> clients = new ArrayList<>();
        try (DistributedLockFactory factory = Subject.open(task.strategy(), task.endpoints())) {
            DistributedLock lock = factory.getLock(task.lock());
            List<Runnable> steps = new ArrayList<>();
            for (int i = 0; i < task.threads(); i++) {
                PlainClient client = new PlainClient(task.endpoints().split(",", 2)[0]);
                clients.add(client);
                steps.add(() -> addOne(lock, client, task.key()));
            }
            UncontendedPair.pair(lock);
            say(WorkerProcess.READY);
            go.await();
            say(Long.toString(Crew.run(steps, Duration.ofMillis(task.millis())).steps()));
            return ExitCodes.OK;
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

    /** Starts at the word of the parent process, and ends with it, whatever this process waits for. */
    private static void followParent(BufferedReader in, CountDownLatch go) {
        try {
            for (@Nullable String line = in.readLine(); line != null; line = in.readLine()) {
                go.countDown();
            }
        } catch (IOException e) {
            // As good as the end of the stream.
        }
        Runtime.getRuntime().halt(ExitCodes.FAILED);
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
