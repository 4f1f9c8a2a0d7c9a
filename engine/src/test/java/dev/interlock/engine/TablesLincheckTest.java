// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import dev.interlock.engine.backend.SecondRequests;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.Host;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Wait;
import java.util.List;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tables in memory, linearizable under all interleavings that Lincheck tries. */
@Tag("deep")
class TablesLincheckTest {
    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /** An environment in which time stands still, and started threads do not run. */
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

    /** All threads use one name, since different names do not interact. */
    public static class Cells {
        // Small, since Lincheck takes a long walk through an empty map for a livelock.
        private final CellTable table = new CellTable(
                new Still(),
                Observer.of(List.of(), new Host(() -> 0, (o, n) -> {}, th -> {}, (n, task) -> new Thread(task)), "x"),
                new Timer(new Still(), "timer", due -> {}),
                new SecondRequests(new Still(), new InMemoryProtocol(new Still(), new InMemoryServer(new Still()))),
                16,
                1);
        private final Cell[] entered = new Cell[8];

        @Operation
        public boolean enter(@Param(gen = ThreadIdGen.class) int thread) {
            if (entered[thread] != null) {
                return false;
            }
            entered[thread] = table.enter("name");
            return true;
        }

        @Operation
        public String leave(@Param(gen = ThreadIdGen.class) int thread) {
            Cell cell = entered[thread];
            if (cell == null) {
                return "was not there";
            }
            boolean same = table.find("name") == cell;
            entered[thread] = null;
            table.leave(cell);
            return same ? "left" : "left another cell";
        }

        @Operation
        public boolean find() {
            return table.find("name") != null;
        }

        @Operation
        public boolean isInUse() {
            return table.isInUse();
        }
    }

    private static String text(boolean name) {
        return name ? "a" : "b";
    }

    @Param(name = "thread", gen = BooleanGen.class)
    @Param(name = "name", gen = BooleanGen.class)
    @Param(name = "cause", gen = BooleanGen.class)
    public static class Losses {
        private final Thread[] threads = {new Thread("one"), new Thread("two")};
        private final LostHolds lostHolds = new LostHolds(new Still(), 1);

        @Operation
        public void add(
                @Param(name = "thread") boolean thread,
                @Param(name = "name") boolean name,
                @Param(name = "cause") boolean cause) {
            lostHolds.add(threads[thread ? 0 : 1], text(name), 2, cause ? LossCause.GONE : LossCause.TAKEN);
        }

        @Operation
        public String takeBack(@Param(name = "thread") boolean thread, @Param(name = "name") boolean name) {
            return String.valueOf(lostHolds.takeBack(threads[thread ? 0 : 1], text(name)));
        }

        @Operation
        public String tell(@Param(name = "thread") boolean thread, @Param(name = "name") boolean name) {
            return String.valueOf(lostHolds.tell(threads[thread ? 0 : 1], text(name)));
        }

        @Operation
        public void forget(@Param(name = "thread") boolean thread, @Param(name = "name") boolean name) {
            lostHolds.forget(threads[thread ? 0 : 1], text(name));
        }
    }

    public static class Due {
        private final Timer timer = new Timer(new Still(), "timer", due -> {});
        private final Entry[] entries = {new Entry(0), new Entry(1), new Entry(2)};

        private static final class Entry extends Timer.Entry {
            Entry(int hash) {
                super(hash);
            }
        }

        @Operation
        public void schedule(
                @Param(gen = IntGen.class, conf = "0:2") int entry, @Param(gen = IntGen.class, conf = "-1:4") int due) {
            timer.schedule(entries[entry], due, 0);
        }

        @Operation
        public void cancel(@Param(gen = IntGen.class, conf = "0:2") int entry) {
            timer.cancel(entries[entry]);
        }

        @Operation
        public int close() {
            return timer.close(Wait.uninterruptibly(new Still()), 0).size();
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

    /** A stress test, since Lincheck's model checker would have to run each thread that is started. */
    @Test
    void theTimer() {
        new StressOptions()
                .iterations(15)
                .invocationsPerIteration(300)
                .threads(2)
                .actorsPerThread(4)
                .check(Due.class);
    }
}
