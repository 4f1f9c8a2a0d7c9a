// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import com.google.gson.Gson;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A JVM of its own that runs {@link WorkerMain}, and ends when its standard input does. */
final class WorkerProcess implements AutoCloseable {
    /** The line with which a worker says that it is ready. */
    static final String READY = "ready";

    /** The line that starts its work. */
    static final String GO = "go";

    /** What counts is whether an update is lost, and not how many there are. */
    private static final List<String> LIGHT = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(45);

    private final ChildLines child = new ChildLines(LIGHT, WorkerMain.class);

    /**
     * The task of a worker.
     *
     * @param strategy the strategy
     * @param options its options
     * @param endpoints its servers
     * @param lock the name of the lock
     * @param key the key of the number to add to
     * @param threads the number of threads
     * @param millis for how long
     */
    record Task(
            String strategy,
            Map<String, String> options,
            String endpoints,
            String lock,
            String key,
            int threads,
            long millis) {}

    private WorkerProcess() {}

    static WorkerProcess start(Task task) {
        WorkerProcess worker = new WorkerProcess();
        worker.child.say(new Gson().toJson(task));
        return worker;
    }

    /** Waits until the worker is ready to start. */
    void awaitReady() {
        String line = child.next(START_LIMIT);
        if (!line.equals(READY)) {
            throw child.unexpected(line);
        }
    }

    /** Starts the work. */
    void go() {
        child.say(GO);
    }

    /** Waits for the end of the work, and returns how often the worker has added one. */
    long result(Duration time) {
        return child.nextNumber(time.plus(END_LIMIT));
    }

    /** Ends the worker's standard input, as the end of this JVM would. */
    void hangUp() throws IOException {
        child.hangUp();
    }

    /** Waits for the end of the process, and returns whether it came in time. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return child.awaitEnd(limit);
    }

    /** Ends the process if it has not ended, and waits for its end. */
    @Override
    public void close() {
        child.close();
    }
}
