// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StringGen;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/** The tables in memory, linearizable under all interleavings that Lincheck tries. */
class TablesLincheckTest {
    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(15)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /** Time stands still, and threads that are started do not run. */
    private static final class Still implements Environment {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long currentTimeMillis() {
            return 0;
        }

        @Override
        public void park(Object blocker, long nanos) {}

        @Override
        public void unpark(Thread thread) {}

        @Override
        public Thread newThread(String name, Runnable task) {
            return new Thread(task, name) {
                @Override
                public void start() {}
            };
        }

        @Override
        public long nextLong(long bound) {
            return 0;
        }

        @Override
        public String newToken() {
            return "";
        }
    }

    @Param(name = "name", gen = StringGen.class, conf = "1:ab")
    public static class Cells {
        private final CellTable table = new CellTable(new Still());
        private final Cell[][] entered = new Cell[8][2];

        private static int index(String name) {
            return name.equals("a") ? 0 : 1;
        }

        @Operation
        public boolean enter(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "name") String name) {
            Cell[] mine = entered[thread];
            if (mine[index(name)] != null) {
                return false;
            }
            mine[index(name)] = table.enter(name);
            return true;
        }

        @Operation
        public String leave(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "name") String name) {
            Cell[] mine = entered[thread];
            Cell cell = mine[index(name)];
            if (cell == null) {
                return "was not there";
            }
            boolean same = table.find(name) == cell;
            mine[index(name)] = null;
            table.leave(cell);
            return same ? "left" : "left another cell";
        }

        @Operation
        public boolean find(@Param(name = "name") String name) {
            return table.find(name) != null;
        }
    }

    public static class Losses {
        private final Thread[] threads = {new Thread("one"), new Thread("two")};
        private final LostHolds lostHolds = new LostHolds();

        @Operation
        public void add(boolean thread, boolean name, boolean cause) {
            lostHolds.add(threads[thread ? 0 : 1], name ? "a" : "b", 2, cause ? LossCause.GONE : LossCause.TAKEN);
        }

        @Operation
        public String takeBack(boolean thread, boolean name) {
            return lostHolds
                    .takeBack(threads[thread ? 0 : 1], name ? "a" : "b")
                    .map(LossCause::name)
                    .orElse("none");
        }
    }

    public static class Due {
        private final Consumer<List<Integer>> nobody = due -> {};
        private final DueWorker<Integer> worker = new DueWorker<>(new Still(), "worker", 2, nobody);
        private final List<DueWorker.Entry<Integer>> mine = new ArrayList<>();

        @Operation
        public void add(int item) {
            worker.add(item, item);
        }

        @Operation(nonParallelGroup = "mine")
        public void addMine(int item) {
            mine.add(worker.add(item, item));
        }

        @Operation(nonParallelGroup = "mine")
        public void removeMine() {
            if (!mine.isEmpty()) {
                worker.remove(mine.remove(0));
            }
        }

        @Operation
        public String take() {
            List<Integer> due = new ArrayList<>();
            long sleep = worker.takeDue(due);
            return due + " " + sleep;
        }

        @Operation
        public void close() {
            worker.close();
        }
    }

    @Test
    void theTableOfCells() {
        options().check(Cells.class);
    }

    @Test
    void theTableOfLostHolds() {
        options().check(Losses.class);
    }

    @Test
    void theQueueOfTheWorker() {
        options().check(Due.class);
    }
}
