// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.evidence.GuardedStore;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import dev.interlock.tools.lab.evidence.StoreWrites;
import dev.interlock.tools.lab.evidence.Timeline;
import dev.interlock.tools.lab.play.LabClientMain.Step;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client in a JVM of its own, which runs {@link LabClientMain}. One thread tells it the steps to take. */
public final class LabClient implements AutoCloseable, LabProcess.Listener {
    /** The longest time for a JVM to start and get ready: far more than that takes. */
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final LabClientMain.Task task;
    private final Timeline timeline;
    private final Stores stores;
    private final LabProcesses processes;
    private final LabProcess process;
    private volatile boolean closed;
    private volatile boolean spoilt;
    private int contendedFrom;
    private int releasedFrom;
    private int endedFrom = -1;

    /** The two stores that all clients of a cell share: one ignores tokens, and one checks them. */
    static final class Stores {
        private final GuardedStore unfenced = new GuardedStore(false);
        private final GuardedStore fenced = new GuardedStore(true);

        private String read(@Nullable Long token) {
            return unfenced.read(token) + " " + fenced.read(token);
        }

        private StoreWrites write(@Nullable Long token, String versions) {
            String[] basedOn = versions.split(" ", -1);
            return new StoreWrites(
                    unfenced.write(token, Long.parseLong(basedOn[0])), fenced.write(token, Long.parseLong(basedOn[1])));
        }
    }

    private LabClient(
            LabClientMain.Task task, boolean bentClock, LabProcesses processes, Timeline timeline, Stores stores) {
        this.task = task;
        this.timeline = timeline;
        this.stores = stores;
        this.processes = processes;
        process = processes.take(bentClock);
        process.serve(this);
    }

    /** Makes a process serve a client, which does nothing yet. */
    static LabClient start(
            LabClientMain.Task task, boolean bentClock, LabProcesses processes, Timeline timeline, Stores stores) {
        LabClient client = new LabClient(task, bentClock, processes, timeline, stores);
        client.process.say(Step.TASK + " " + new Gson().toJson(task));
        return client;
    }

    @Override
    public void hear(String line) {
        Moment moment;
        try {
            moment = new Gson().fromJson(line, Moment.class);
        } catch (JsonSyntaxException e) {
            throw new ToolException("a client said \"" + line + "\"", e);
        }
        // The answer is sent before the next message of the client is handled.
        synchronized (stores) {
            switch (moment.what()) {
                case READ -> {
                    String versions = stores.read(moment.token());
                    timeline.add(Moment.now(moment.who(), What.READ, moment.token(), null));
                    process.say(LabClientMain.ANSWER + versions);
                }
                case WROTE -> {
                    StoreWrites writes = stores.write(moment.token(), String.valueOf(moment.detail()));
                    timeline.add(new Moment(
                            System.nanoTime(), moment.who(), What.WROTE, moment.token(), writes, null, null));
                    process.say(LabClientMain.ANSWER);
                }
                default -> timeline.add(moment);
            }
        }
    }

    @Override
    public void ended() {
        spoilt = true;
        if (!closed) {
            timeline.fail(process.failed("(" + task.who() + ") ended too early"));
        }
    }

    public String who() {
        return task.who();
    }

    public String history() {
        return task.history();
    }

    /**
     * Connects to servers and makes sure that they can be used. Afterwards the process has loaded all classes that it
     * needs.
     */
    void warmUp(String endpoints) {
        open(endpoints);
        tell(Step.WARM_UP, "", What.READY);
    }

    /** Connects to servers, after closing the connections that there are. */
    void open(String endpoints) {
        tell(Step.OPEN, " " + endpoints, What.READY);
    }

    private void tell(Step step, String arguments, What answer) {
        int from = timeline.size();
        process.say(step + arguments);
        if (timeline.await(from, is(answer), START_LIMIT).isEmpty()) {
            throw process.failed("(" + task.who() + ") did not answer to " + step);
        }
    }

    private Predicate<Moment> is(What... whats) {
        return moment -> moment.who().equals(task.who()) && List.of(whats).contains(moment.what());
    }

    /** Makes the client request the lock, and returns once it has done so. */
    void contend() {
        contendedFrom = timeline.size();
        tell(Step.CONTEND, "", What.ASKED);
    }

    /** Waits until the client has been granted the lock that it last asked for, and has read the stores. */
    boolean isGranted(Duration limit) {
        return timeline.await(contendedFrom, is(What.READ), limit).isPresent();
    }

    /** Makes the client check its lease, and returns whether it was valid. A write may follow. */
    boolean look() {
        int from = timeline.size();
        process.say(Step.LOOK.toString());
        return await(from, What.LOOKED_VALID, What.LOOKED_LOST).what() == What.LOOKED_VALID;
    }

    /**
     * Makes the client write after a check that found its lease valid. Runs an action in between, and returns after the
     * write.
     */
    void write(Runnable meanwhile) {
        int from = timeline.size();
        process.say(Step.WRITE.toString());
        meanwhile.run();
        await(from, What.WROTE);
    }

    /** Makes the client check its lease, and write if it is valid. */
    void lookAndWrite() {
        if (look()) {
            write(() -> {});
        }
    }

    /** Makes the client release the lock after its pending steps, and waits for the release. */
    void release() {
        beginRelease();
        awaitRelease();
    }

    /** Makes the client begin to release the lock. */
    void beginRelease() {
        releasedFrom = timeline.size();
        process.say(Step.RELEASE.toString());
    }

    /**
     * Waits until the client has reported that it gives the lock back. A report that was not read yet would be lost
     * with the process.
     */
    void awaitReleasing() {
        await(releasedFrom, What.RELEASING);
    }

    /** Waits for the end of a release that was begun. */
    void awaitRelease() {
        await(releasedFrom, What.RELEASED, What.NOT_RELEASED);
    }

    private Moment await(int from, What... whats) {
        return timeline.await(from, is(whats), START_LIMIT)
                .orElseThrow(() -> process.failed("(" + task.who() + ") did not come to " + List.of(whats)));
    }

    /**
     * Sets the clocks of the process, which must have been started for that.
     *
     * @param ahead by how much the wall clock is ahead; behind, if negative
     * @param rate how fast both clocks run
     */
    void setClock(Duration ahead, double rate) {
        tell(Step.CLOCK, " " + ahead.toMillis() + " " + rate, What.READY);
    }

    /** Ends the process at once. */
    void kill() {
        closed = true;
        processes.discard(process);
        timeline.add(Moment.now(task.who(), What.KILLED, null, null));
    }

    /** Returns whether its process has served another client before. */
    boolean isWarm() {
        return process.isWarm();
    }

    boolean isAlive() {
        return !closed;
    }

    /** Stops the process without ending it. */
    void stop() {
        spoilt = true;
        process.stop();
    }

    /** Resumes the process. */
    void goOn() {
        process.goOn();
    }

    /** Begins to make the process ready for the next client, if it is fit for one. */
    void beginToEnd() {
        boolean asks = timeline.moments().stream()
                .filter(is(What.ASKED, What.READ))
                .reduce((before, last) -> last)
                .filter(last -> last.what() == What.ASKED)
                .isPresent();
        if (!closed && !spoilt && !asks && process.isAlive()) {
            endedFrom = timeline.size();
            process.say(Step.END.toString());
        }
    }

    /** Gives the process back if it gets ready for the next client in time, and ends it otherwise. */
    void end(Duration limit) {
        if (closed) {
            return;
        }
        boolean ready = endedFrom >= 0
                && !spoilt
                && timeline.await(endedFrom, is(What.READY), limit).isPresent();
        closed = true;
        if (ready) {
            processes.giveBack(process);
        } else {
            processes.discard(process);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            processes.discard(process);
        }
    }
}
