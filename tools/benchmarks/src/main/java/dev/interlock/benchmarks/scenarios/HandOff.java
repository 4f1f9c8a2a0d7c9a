// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Guarded;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Two clients pass a lock to each other. Measures the time from the call of unlock to the moment at which the waiting
 * client has the lock.
 */
final class HandOff extends Scenario {
    private static final int DIGITS = 3;
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /**
     * The least time for which the other client waits before the release, so that its thread and processor are idle.
     */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(20);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(60);

    /** Passes with short waits warm the code up. */
    private static final Duration WARM_UP_WAIT = Duration.ofMillis(1);

    /** The number of round trips until a client waits; no candidate needs more. */
    private static final int ROUND_TRIPS_TO_WAIT = 4;

    private final Duration time;

    HandOff(Duration time) {
        super(
                "hand-off",
                "Hand-off between two clients, from release to acquired",
                List.of(Metric.P50_MICROS, Metric.P99_MICROS),
                Candidate::hasDefaultHandoffs);
        this.time = time;
    }

    @Override
    Figures measure(Testbed stage) {
        Game game = new Game(stage.roundTrip().multipliedBy(ROUND_TRIPS_TO_WAIT));
        Player first = game.player(stage.client(Terms.SHORT).lock("passed"));
        Player second = game.player(stage.client(Terms.SHORT).lock("passed"));
        first.other = second;
        second.other = first;
        first.thread.start();
        second.thread.start();
        Pause.of(time.dividedBy(2));
        game.timed = true;
        Pause.of(time);
        game.awaitFigure();
        game.over = true;
        first.join();
        second.join();
        if (game.nanos.getTotalCount() == 0) {
            throw new ToolException("the lock was not passed on in time");
        }
        return new Figures(
                Map.of(
                        Metric.P50_MICROS, game.nanos.getValueAtPercentile(50) / 1e3,
                        Metric.P99_MICROS, game.nanos.getValueAtPercentile(99) / 1e3),
                first.turns + second.turns - game.guarded.value());
    }

    /** The state that the two clients share. */
    private static final class Game {
        final Duration untilWaiting;
        final Histogram nanos = new ConcurrentHistogram(DIGITS);
        final Guarded guarded = new Guarded();
        volatile boolean timed;
        volatile boolean over;

        /** The time of the last release, or 0 if it belonged to the warm-up; only the holder writes it. */
        volatile long releasedAt;

        volatile @Nullable Player holder;

        /**
         * Creates a game.
         *
         * @param untilWaiting the time that the network adds until a player waits
         */
        Game(Duration untilWaiting) {
            this.untilWaiting = untilWaiting;
        }

        /** Waits for a first figure. On a busy machine there may be none within the time of a round. */
        void awaitFigure() {
            long from = System.nanoTime();
            while (nanos.getTotalCount() == 0 && !over && System.nanoTime() - from < PATIENCE.toNanos()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        Player player(Lock lock) {
            return new Player(this, lock);
        }
    }

    /** One of the two clients. */
    private static final class Player {
        final Game game;
        final Lock lock;
        final Thread thread = new Thread(this::run, "player");

        @Nullable
        Player other;

        volatile boolean waits;
        volatile @Nullable Throwable failure;
        long turns;

        Player(Game game, Lock lock) {
            this.game = game;
            this.lock = lock;
            thread.setDaemon(true);
        }

        private void run() {
            try {
                while (!game.over) {
                    turn();
                }
            } catch (RuntimeException | Error e) {
                failure = e;
                game.over = true;
            }
        }

        private void turn() {
            waits = true;
            lock.lock();
            long acquiredAt = System.nanoTime();
            waits = false;
            try {
                if (game.releasedAt != 0 && game.holder == other) {
                    game.nanos.recordValue(acquiredAt - game.releasedAt);
                }
                game.holder = this;
                game.guarded.add(true);
                turns++;
                boolean counts = game.timed;
                letTheOtherWait(counts ? SHORTEST_WAIT : Duration.ZERO, counts ? LONGEST_WAIT : WARM_UP_WAIT);
                game.releasedAt = counts ? System.nanoTime() : 0;
            } finally {
                lock.unlock();
            }
            while (game.holder == this && !game.over) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        private void letTheOtherWait(Duration atLeast, Duration lessThan) {
            while (other != null && !other.waits && !game.over) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            if (!game.over) {
                Pause.of(game.untilWaiting.plusNanos(
                        ThreadLocalRandom.current().nextLong(atLeast.toNanos(), lessThan.toNanos())));
            }
        }

        void join() {
            try {
                thread.join(PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted", e);
            }
            Throwable found = failure;
            if (found != null) {
                throw new ToolException(Messages.of(found), found);
            }
            if (thread.isAlive()) {
                throw new ToolException("the lock was not passed on within " + PATIENCE.toSeconds() + " seconds");
            }
        }
    }
}
