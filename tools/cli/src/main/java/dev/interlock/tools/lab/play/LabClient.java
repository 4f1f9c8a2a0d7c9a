// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.evidence.GuardedStore;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import dev.interlock.tools.lab.evidence.StoreWrites;
import dev.interlock.tools.lab.evidence.Timeline;
import dev.interlock.tools.lab.play.LabClientMain.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client in a JVM of its own, which runs {@link LabClientMain}. It is told what to do by one thread. */
public final class LabClient implements AutoCloseable {
    /** Short-lived processes, many of them: no time for the best code, nor for many threads. */
    private static final List<String> LIGHT = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m");

    /** Far more than the start of a JVM takes, and what it does at the start. */
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final LabClientMain.Task task;
    private final Timeline timeline;
    private final Stores stores;
    private final ChildJvm child;
    private volatile boolean closed;
    private int contendedFrom;

    /** The two stores that all clients of a cell share: one does not look at tokens, and one does. */
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

    private LabClient(LabClientMain.Task task, Timeline timeline, Stores stores) {
        this.task = task;
        this.timeline = timeline;
        this.stores = stores;
        List<String> options = new ArrayList<>(LIGHT);
        if (task.clockAheadMillis() != 0) {
            options.addAll(SkewedClock.JVM_OPTIONS);
        }
        child = ChildJvm.start(options, LabClientMain.class, List.of(), this::hear, this::ended);
    }

    /** Starts a process, which does nothing yet: it says nothing before it has got its task. */
    static LabClient start(LabClientMain.Task task, Timeline timeline, Stores stores) {
        LabClient client = new LabClient(task, timeline, stores);
        client.child.say(new Gson().toJson(task));
        return client;
    }

    private void hear(String line) {
        Moment moment;
        try {
            moment = new Gson().fromJson(line, Moment.class);
        } catch (JsonSyntaxException e) {
            throw new ToolException("a client said \"" + line + "\"", e);
        }
        // The next thing that the client says comes after the answer to this one.
        synchronized (stores) {
            switch (moment.what()) {
                case READ -> {
                    String versions = stores.read(moment.token());
                    timeline.add(Moment.now(moment.who(), What.READ, moment.token(), null));
                    child.say(LabClientMain.ANSWER + versions);
                }
                case WROTE -> {
                    StoreWrites writes = stores.write(moment.token(), String.valueOf(moment.detail()));
                    timeline.add(new Moment(System.nanoTime(), moment.who(), What.WROTE, moment.token(), writes, null));
                    child.say(LabClientMain.ANSWER);
                }
                default -> timeline.add(moment);
            }
        }
    }

    private void ended() {
        if (!closed) {
            timeline.fail(child.failed("(" + task.who() + ") ended too early"));
        }
    }

    public String who() {
        return task.who();
    }

    public String history() {
        return task.history();
    }

    /** Connects to servers and makes sure that they can be used; the process has loaded all that it needs then. */
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
        child.say(step + arguments);
        if (timeline.await(from, is(answer), START_LIMIT).isEmpty()) {
            throw child.failed("(" + task.who() + ") did not answer to " + step);
        }
    }

    private Predicate<Moment> is(What... whats) {
        return moment -> moment.who().equals(task.who()) && List.of(whats).contains(moment.what());
    }

    /** Makes it ask for the lock, and returns when it does. */
    void contend() {
        contendedFrom = timeline.size();
        tell(Step.CONTEND, "", What.ASKED);
    }

    /** Waits until it has been granted what it last asked for, and has read the stores. */
    boolean isGranted(Duration limit) {
        return timeline.await(contendedFrom, is(What.READ), limit).isPresent();
    }

    /** Makes it look at its lease, and returns whether that was valid; a write may follow. */
    boolean look() {
        int from = timeline.size();
        child.say(Step.LOOK.toString());
        return await(from, What.LOOKED_VALID, What.LOOKED_LOST).what() == What.LOOKED_VALID;
    }

    /** Makes it write, having looked at its lease, which was valid, and returns when it has, having done something else meanwhile. */
    void write(Runnable meanwhile) {
        int from = timeline.size();
        child.say(Step.WRITE.toString());
        meanwhile.run();
        await(from, What.WROTE);
    }

    /** Makes it look, and write if its lease is valid. */
    void lookAndWrite() {
        if (look()) {
            write(() -> {});
        }
    }

    /** Makes it give the lock back after all that was begun before, and waits for the end of that. */
    void release() {
        int from = timeline.size();
        child.say(Step.RELEASE.toString());
        await(from, What.RELEASED, What.NOT_RELEASED);
    }

    private Moment await(int from, What... whats) {
        return timeline.await(from, is(whats), START_LIMIT)
                .orElseThrow(() -> child.failed("(" + task.who() + ") did not come to " + List.of(whats)));
    }

    /** Ends the process at once. */
    void kill() {
        close();
        timeline.add(Moment.now(task.who(), What.KILLED, null, null));
    }

    boolean isAlive() {
        return !closed;
    }

    /** Makes the process stand still. */
    void stop() {
        child.stop();
    }

    /** Lets it go on. */
    void goOn() {
        child.goOn();
    }

    @Override
    public void close() {
        closed = true;
        child.close();
    }
}
