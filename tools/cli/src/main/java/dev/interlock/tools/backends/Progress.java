// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.io.PrintWriter;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a long piece of work has come: a bar on a terminal, and a line for each step elsewhere. */
public interface Progress extends AutoCloseable {
    /** Set to {@code bar} by the launcher where standard error is a terminal, which Java 17 cannot find out. */
    String PROPERTY = "interlock.progress";

    /**
     * Begins a step.
     *
     * @param step what is done
     */
    void begin(String step);

    /** Ends the step that was begun. */
    void end();

    /**
     * Skips steps that will not be taken.
     *
     * @param steps how many
     */
    void skip(int steps);

    @Override
    void close();

    /**
     * Shows progress on standard error.
     *
     * @param err standard error
     * @param task the name of the whole
     * @param steps of how many steps it consists
     * @return the display
     */
    static Progress on(PrintWriter err, String task, int steps) {
        return System.getProperty(PROPERTY, "").equals("bar") ? new Bar(task, steps) : new Lines(err, steps);
    }

    /**
     * Shows nothing, for work that is a single step of something larger.
     *
     * @return no display
     */
    static Progress none() {
        return new None();
    }

    /** A bar that is redrawn in place, and erased at the end. */
    final class Bar implements Progress {
        private final ProgressBar bar;

        Bar(String task, int steps) {
            bar = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(steps)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(500)
                    .hideEta()
                    .clearDisplayOnFinish()
                    .setConsumer(new ConsoleProgressBarConsumer(System.err, TextTable.WIDTH))
                    .build();
        }

        @Override
        public void begin(String step) {
            bar.setExtraMessage(step);
        }

        @Override
        public void end() {
            bar.step();
        }

        @Override
        public void skip(int steps) {
            bar.stepBy(steps);
        }

        @Override
        public void close() {
            bar.close();
        }
    }

    /** A line for each step. Several steps may be under way at once. */
    final class Lines implements Progress {
        private final PrintWriter err;
        private final int steps;
        private int begun;

        public Lines(PrintWriter err, int steps) {
            this.err = err;
            this.steps = steps;
        }

        @Override
        public void begin(String step) {
            begun++;
            err.println("[" + begun + "/" + steps + "] " + step);
        }

        @Override
        public void end() {}

        @Override
        public void skip(int left) {
            begun += left;
        }

        @Override
        public void close() {
            err.flush();
        }
    }

    /** Nothing. */
    final class None implements Progress {
        @Override
        public void begin(String step) {}

        @Override
        public void end() {}

        @Override
        public void skip(int left) {}

        @Override
        public void close() {}
    }
}
