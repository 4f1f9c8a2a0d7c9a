// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.tools.backends.Closing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lends warm JVMs to the clients of one cell after another: the start of a JVM costs more than a cell. Safe to use from
 * any thread.
 */
public final class LabProcesses implements AutoCloseable {
    private final Deque<LabProcess> idle = new ArrayDeque<>();
    private final List<LabProcess> all = new ArrayList<>();
    private boolean closed;
    private int started;

    /**
     * Lends a process.
     *
     * @param bentClock whether its clocks can be set
     */
    LabProcess take(boolean bentClock) {
        synchronized (this) {
            @Nullable
            LabProcess warm = idle.stream()
                    .filter(process -> process.hasBentClock() == bentClock)
                    .findFirst()
                    .orElse(null);
            if (warm != null) {
                idle.remove(warm);
                return warm;
            }
        }
        LabProcess fresh = new LabProcess(bentClock);
        boolean late;
        synchronized (this) {
            started++;
            late = closed;
            all.add(fresh);
        }
        if (late) {
            fresh.close();
        }
        return fresh;
    }

    /** Takes back a process that can serve another client. */
    void giveBack(LabProcess process) {
        process.serveNobody();
        boolean late;
        synchronized (this) {
            late = closed || !process.isAlive();
            if (!late) {
                idle.addFirst(process);
            }
        }
        if (late) {
            discard(process);
        }
    }

    /** Ends a process that must not serve another client. */
    void discard(LabProcess process) {
        process.serveNobody();
        process.close();
        synchronized (this) {
            all.remove(process);
        }
    }

    /** Returns the number of processes that have been started. */
    synchronized int started() {
        return started;
    }

    @Override
    public void close() {
        List<LabProcess> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(all);
            idle.clear();
            all.clear();
        }
        left.forEach(LabProcess::serveNobody);
        Closing.all(left);
    }
}
