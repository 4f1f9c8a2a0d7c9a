// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.ChildJvm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that runs {@link LabClientMain} and serves one client of the lab after another. Lines in both directions begin
 * with the number of the client that they belong to, so that a late line of one client is not taken for one of the
 * next.
 */
public final class LabProcess implements AutoCloseable {
    /** Options by which a short-lived JVM spends little on compilation and few threads. */
    private static final List<String> LIGHT = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx160m");

    private final boolean bentClock;
    private final ChildJvm child;
    private int number;
    private @Nullable Listener listener;

    /** Receives the lines of the process for the client that it serves. */
    interface Listener {
        void hear(String line);

        /** The process has ended; it is not called once the client is done. */
        void ended();
    }

    /**
     * Starts a process.
     *
     * @param bentClock whether its clocks can be set
     */
    LabProcess(boolean bentClock) {
        this.bentClock = bentClock;
        List<String> options = new ArrayList<>(LIGHT);
        if (bentClock) {
            options.addAll(BentClock.JVM_OPTIONS);
        }
        child = ChildJvm.start(options, LabClientMain.class, List.of(), this::hear, this::ended);
    }

    /** Returns whether it has served another client before the present one. */
    synchronized boolean isWarm() {
        return number > 1;
    }

    boolean hasBentClock() {
        return bentClock;
    }

    /** Begins to serve a client. */
    void serve(Listener next) {
        synchronized (this) {
            number++;
            listener = next;
        }
    }

    /** Ends serving the client: later lines of the process are ignored. */
    synchronized void serveNobody() {
        listener = null;
    }

    private void hear(String line) {
        String[] parts = line.split(" ", 2);
        @Nullable Listener current;
        synchronized (this) {
            current = parts[0].equals(Integer.toString(number)) ? listener : null;
        }
        if (current != null) {
            current.hear(parts[1]);
        }
    }

    private void ended() {
        @Nullable Listener current;
        synchronized (this) {
            current = listener;
        }
        if (current != null) {
            current.ended();
        }
    }

    /** Tells the process something for the client that it serves. */
    void say(String line) {
        child.say(number + " " + line);
    }

    /** Stops the process without ending it. */
    void stop() {
        child.stop();
    }

    /** Resumes the process. */
    void goOn() {
        child.goOn();
    }

    /** Ends the process and tells what it has written to standard error. */
    RuntimeException failed(String what) {
        return child.failed(what);
    }

    boolean isAlive() {
        return child.isAlive();
    }

    @Override
    public void close() {
        child.close();
    }
}
