// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows how many seeds have been run: a bar on a terminal, and a line every ten seconds elsewhere. Safe to use from any
 * thread.
 */
interface SeedProgress extends AutoCloseable {
    /** Set to {@code bar} by the launcher where standard error is a terminal, which Java 17 cannot find out. */
    String PROPERTY = "interlock.progress";

    /** Notes that a seed has been run. */
    void ran();

    @Override
    void close();

    /**
     * Shows progress on standard error.
     *
     * @param err standard error, if it is no terminal
     * @param seeds how many seeds there are
     */
    static SeedProgress on(PrintWriter err, long seeds) {
        return System.getProperty(PROPERTY, "").equals("bar")
                ? new Bar(System.err, seeds)
                : new Lines(err, seeds, System::nanoTime);
    }

    /** A bar that is redrawn in place, and erased at the end. */
    final class Bar implements SeedProgress {
        private static final int WIDTH = 100;

        private final ProgressBar bar;

        Bar(PrintStream terminal, long seeds) {
            bar = new ProgressBarBuilder()
                    .setTaskName("simulate")
                    .setInitialMax(seeds)
                    .setUnit(" seeds", 1)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(500)
                    .showSpeed()
                    .clearDisplayOnFinish()
                    .setConsumer(new ConsoleProgressBarConsumer(terminal, WIDTH))
                    .build();
        }

        @Override
        public void ran() {
            bar.step();
        }

        @Override
        public void close() {
            bar.close();
        }
    }

    /** A line every ten seconds. */
    final class Lines implements SeedProgress {
        private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

        private final PrintWriter err;
        private final long seeds;
        private final LongSupplier nanoTime;
        private final long begunNanos;
        private long toldNanos;
        private long runs;

        Lines(PrintWriter err, long seeds, LongSupplier nanoTime) {
            this.err = err;
            this.seeds = seeds;
            this.nanoTime = nanoTime;
            this.begunNanos = nanoTime.getAsLong();
            this.toldNanos = begunNanos;
        }

        @Override
        public synchronized void ran() {
            runs++;
            long now = nanoTime.getAsLong();
            if (now - toldNanos >= PAUSE_NANOS) {
                toldNanos = now;
                err.printf(Locale.ROOT, "[%d/%d] %.0f seeds/s%n", runs, seeds, runs / ((now - begunNanos) / 1e9));
                err.flush();
            }
        }

        @Override
        public void close() {
            err.flush();
        }
    }
}
