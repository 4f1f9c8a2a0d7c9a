// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.backend.Answering;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Wait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells that are in use, by the names of their locks. A cell is made by its first user and is gone with its last, so that names
 * that nobody uses cost nothing. Safe to use from any thread.
 */
final class CellTable {
    private static final QuietLog LOG = QuietLog.of(CellTable.class);

    /** Large enough for the names of several threads to be on different lines of the processor's cache. */
    private static final int LEAST_CAPACITY = 512;

    final Environment env;
    final Observer observer;
    final Timer timer;
    final int localHandoffs;
    final Answering answering;

    private final ConcurrentHashMap<String, Cell> cells;

    private volatile @Nullable Thread awaitingEmpty;

    CellTable(Environment env, Observer observer, Timer timer, Answering answering, int localHandoffs) {
        this(env, observer, timer, answering, localHandoffs, LEAST_CAPACITY);
    }

    CellTable(
            Environment env,
            Observer observer,
            Timer timer,
            Answering answering,
            int localHandoffs,
            int leastCapacity) {
        this.env = env;
        this.observer = observer;
        this.timer = timer;
        this.answering = answering;
        this.localHandoffs = localHandoffs;
        this.cells = new ConcurrentHashMap<>(leastCapacity);
    }

    /** Returns the cell of a name, which stays until as many have left as entered. */
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
            // Its last user has left and is about to take it out.
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
            LOG.log(System.Logger.Level.WARNING, "a watch of lock \"" + cell.name + "\" did not close", e);
        }
    }

    /** Waits until no cell is in use, at most until a moment on the monotonic clock. By one thread. */
    void awaitEmpty(Wait wait, long untilNanos) {
        awaitingEmpty = Thread.currentThread();
        long left = untilNanos - env.nanoTime();
        while (isInUse() && left > 0) {
            wait.park(this, left);
            left = untilNanos - env.nanoTime();
        }
    }

    /** Whether any cell is in use. Looks for one: the map counts its entries after it has added them, so it may seem empty. */
    boolean isInUse() {
        return cells.keySet().iterator().hasNext();
    }

    /** Returns the cell of a name if anybody uses it, without becoming a user. */
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
