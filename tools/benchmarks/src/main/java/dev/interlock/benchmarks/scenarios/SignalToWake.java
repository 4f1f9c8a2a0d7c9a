// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Two clients wake each other by the conditions of one lock. Measures the time from the call of signal until the other
 * client returns from its wait with the lock. The signaller waits right after its signal, which frees the lock.
 */
final class SignalToWake extends Scenario {
    private static final int DIGITS = 3;
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** How long the other client has waited at least when it is signalled, as for a {@linkplain HandOff hand-off}. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(20);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(60);

    private final Duration time;

    SignalToWake(Duration time) {
        super(
                "signal",
                "Wake-up of another client by a condition, from signal to awake with the lock",
                List.of(Metric.P50_MICROS, Metric.P99_MICROS),
                Candidate::hasConditions);
        this.time = time;
    }

    @Override
    Figures measure(Testbed stage) {
        Game game = new Game();
        Player first = game.player(0, stage.client(Terms.SHORT));
        Player second = game.player(1, stage.client(Terms.SHORT));
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
            throw new ToolException("no signal arrived in time");
        }
        return new Figures(
                Map.of(
                        Metric.P50_MICROS, game.nanos.getValueAtPercentile(50) / 1e3,
                        Metric.P99_MICROS, game.nanos.getValueAtPercentile(99) / 1e3),
                first.turns + second.turns - game.guarded.value());
    }

    /**
     * The state that the two threads share. Only the holder of the lock changes it, except for the flag that ends the
     * game.
     */
    private static final class Game {
        final Histogram nanos = new ConcurrentHistogram(DIGITS);
        final Guarded guarded = new Guarded();
        volatile boolean timed;
        volatile boolean over;

        /** The number of the player whose turn it is. */
        volatile int turn;

        /** When the last signal was given; zero if the time from it does not count. */
        volatile long signalledAt;

        Player player(int number, LockClient client) {
            return new Player(this, number, client.lock("signalled"));
        }

        /** Waits for a first figure. On a busy machine there may be none within the time of a round. */
        void awaitFigure() {
            long from = System.nanoTime();
            while (nanos.getTotalCount() == 0 && !over && System.nanoTime() - from < PATIENCE.toNanos()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** One of the two clients. */
    private static final class Player {
        final Game game;
        final int number;
        final Lock lock;
        final Condition mine;
        final Condition others;
        final Thread thread = new Thread(this::run, "player");
        volatile @Nullable Throwable failure;
        long turns;

        Player(Game game, int number, Lock lock) {
            this.game = game;
            this.number = number;
            this.lock = lock;
            Condition even = lock.newCondition();
            Condition odd = lock.newCondition();
            this.mine = number == 0 ? even : odd;
            this.others = number == 0 ? odd : even;
            thread.setDaemon(true);
        }

        private void run() {
            try {
                lock.lock();
                try {
                    while (!game.over) {
                        turn();
                    }
                    others.signal();
                } finally {
                    lock.unlock();
                }
            } catch (InterruptedException | RuntimeException | Error e) {
                failure = e;
                game.over = true;
            }
        }

        private void turn() throws InterruptedException {
            while (game.turn != number && !game.over) {
                mine.await();
            }
            long awakeAt = System.nanoTime();
            if (game.over) {
                return;
            }
            if (game.signalledAt != 0) {
                game.nanos.recordValue(awakeAt - game.signalledAt);
            }
            game.guarded.add(true);
            turns++;
            // The other one has waited since before this one had the lock. Passes without a pause warm the code up.
            boolean counts = game.timed;
            if (counts) {
                Pause.of(Duration.ofNanos(
                        ThreadLocalRandom.current().nextLong(SHORTEST_WAIT.toNanos(), LONGEST_WAIT.toNanos())));
            }
            game.turn = 1 - number;
            game.signalledAt = counts && turns > 1 ? System.nanoTime() : 0;
            others.signal();
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
                throw new ToolException("no signal arrived within " + PATIENCE.toSeconds() + " seconds");
            }
        }
    }
}
