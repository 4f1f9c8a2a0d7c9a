// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.simulation.plan.FaultKind;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.spi.Assumption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Runs many seeds, on several threads, until one shows a violation. */
final class Series {
    /** The number of seeds from which on each possible fault should have had an effect. */
    static final int ENOUGH = 1_000;

    private final Setup setup;
    private final Set<Assumption> dropped;
    private final long end;
    private final Map<String, Long> effects = new TreeMap<>();
    private long next;
    private long runs;
    private long grants;
    private Optional<Found> found = Optional.empty();
    private Optional<Throwable> failure = Optional.empty();

    /**
     * A seed with a violation.
     *
     * @param seed the seed
     * @param violation the property that did not hold
     * @param stuck whether the run was given up since a thread went on without end
     */
    record Found(long seed, String violation, boolean stuck) {}

    /**
     * The result of a series.
     *
     * @param runs how many seeds were run
     * @param grants how often a lock was granted
     * @param effects how often each fault had an effect
     * @param found the lowest seed that showed a violation
     */
    record Result(long runs, long grants, Map<String, Long> effects, Optional<Found> found) {
        /**
         * Returns the possible faults that had no effect in any run; empty if there were too few runs to tell.
         */
        List<String> withoutEffect(Setup setup, Set<Assumption> dropped) {
            if (runs < ENOUGH) {
                return List.of();
            }
            List<String> expected =
                    new ArrayList<>(FaultKind.possible(setup.profile().assumptions(), dropped).stream()
                            .map(FaultKind::label)
                            .toList());
            expected.addAll(List.of("reorder", "undo"));
            expected.removeAll(effects.keySet());
            expected.removeAll(setup.strategy().harmless());
            return expected;
        }
    }

    private Series(Setup setup, Set<Assumption> dropped, long first, long count) {
        this.setup = setup;
        this.dropped = dropped;
        this.next = first;
        this.end = first + count;
    }

    /**
     * Runs seeds.
     *
     * @param first the first seed
     * @param count how many
     * @param jobs how many at once
     * @param onRun told how many have been run
     */
    static Result run(Setup setup, Set<Assumption> dropped, long first, long count, int jobs, LongConsumer onRun)
            throws InterruptedException {
        Series series = new Series(setup, dropped, first, count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            Thread thread = new Thread(() -> series.work(onRun), "simulation-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (series.failure.isPresent()) {
            throw new IllegalStateException("the simulation itself has failed", series.failure.get());
        }
        return new Result(series.runs, series.grants, series.effects, series.found);
    }

    private synchronized Optional<Long> draw() {
        return next < end && found.isEmpty() && failure.isEmpty() ? Optional.of(next++) : Optional.empty();
    }

    private void work(LongConsumer onRun) {
        try {
            for (Optional<Long> seed = draw(); seed.isPresent(); seed = draw()) {
                RunOutcome outcome = World.run(Plan.of(seed.get(), setup.profile(), dropped), setup, false);
                onRun.accept(note(seed.get(), outcome));
            }
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                failure = Optional.of(e);
            }
        }
    }

    private synchronized long note(long seed, RunOutcome outcome) {
        runs++;
        grants += outcome.grants();
        outcome.effects().forEach((fault, count) -> effects.merge(fault, (long) count, Long::sum));
        if (outcome.violation().isPresent()
                && found.map(one -> seed < one.seed()).orElse(true)) {
            found = Optional.of(new Found(seed, outcome.violation().get(), outcome.stuck()));
        }
        return runs;
    }
}
