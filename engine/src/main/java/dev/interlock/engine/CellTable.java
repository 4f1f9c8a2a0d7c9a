// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.backend.SecondRequests;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Wait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The cells that are in use, by the names of their locks. The first user of a cell creates it and the last one removes
 * it, so that unused names cost nothing. Safe to use from any thread.
 */
final class CellTable {
    private static final QuietLog LOG = QuietLog.of(CellTable.class);

    /** Large enough to spread the names of several threads over different cache lines. */
    private static final int LEAST_CAPACITY = 512;

    final Environment env;
    final Observer observer;
    final Timer timer;
    final int localHandoffs;
    final SecondRequests secondRequests;

    private final ConcurrentHashMap<String, Cell> cells;

    private volatile @Nullable Thread awaitingEmpty;

    /** The time of the last failover, on the monotonic clock. The new server may not know what was confirmed before. */
    private final AtomicLong takeoverNanos;

    CellTable(Environment env, Observer observer, Timer timer, SecondRequests secondRequests, int localHandoffs) {
        this(env, observer, timer, secondRequests, localHandoffs, LEAST_CAPACITY);
    }

    CellTable(
            Environment env,
            Observer observer,
            Timer timer,
            SecondRequests secondRequests,
            int localHandoffs,
            int leastCapacity) {
        this.env = env;
        this.observer = observer;
        this.timer = timer;
        this.secondRequests = secondRequests;
        this.localHandoffs = localHandoffs;
        this.cells = new ConcurrentHashMap<>(leastCapacity);
        this.takeoverNanos = new AtomicLong(env.nanoTime());
    }

    /** Returns the cell of a name, and enters it. The cell stays until each user has left it. */
    Cell enter(String name) {
        while (true) {
            Cell present = cells.get(name);
            if (present == null) {
                Cell fresh = new Cell(name, this);
                present = cells.putIfAbsent(name, fresh);
                if (present == null) {
                    return fresh;
                }
            }
            if (present.enter()) {
                return present;
            }
            // Its last user has left and is about to remove it.
            cells.remove(name, present);
        }
    }

    void leave(Cell cell) {
        if (cell.leave()) {
            cells.remove(cell.name, cell);
            closeWatch(cell);
            Thread waiting = awaitingEmpty;
            if (waiting != null) {
                env.unpark(waiting);
            }
        }
    }

    private static void closeWatch(Cell cell) {
        try {
            cell.closeWatch();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "a watch of lock \"" + cell.lockName() + "\" did not close", e);
        }
    }

    /**
     * Plans a renewal of all grants that were confirmed before now, even of those that are just being made. Does not
     * block.
     */
    void takeover() {
        takeoverNanos.accumulateAndGet(env.nanoTime(), (before, now) -> now - before > 0 ? now : before);
        for (Cell cell : all()) {
            cell.renewSoon();
        }
    }

    /** Returns whether another server has taken over since a moment. */
    boolean isBeforeTakeover(long confirmedNanos) {
        return confirmedNanos - takeoverNanos.get() < 0;
    }

    /** Waits until no cell is in use, at most until a moment on the monotonic clock. Called by one thread. */
    void awaitEmpty(Wait wait, long untilNanos) {
        awaitingEmpty = Thread.currentThread();
        long left = untilNanos - env.nanoTime();
        while (isInUse() && left > 0) {
            wait.park(this, left);
            left = untilNanos - env.nanoTime();
        }
    }

    /**
     * Returns whether any cell is in use. Iterates, since the map's size is updated after an entry is added, and may be
     * zero too early.
     */
    boolean isInUse() {
        return cells.keySet().iterator().hasNext();
    }

    /** Returns the cell of a name if it is in use, without entering it. */
    @Nullable
    Cell find(String name) {
        return cells.get(name);
    }

    Collection<Cell> all() {
        return new ArrayList<>(cells.values());
    }

    int size() {
        return cells.size();
    }
}
