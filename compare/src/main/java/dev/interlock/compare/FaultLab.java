// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import dev.interlock.Capability;
import dev.interlock.StrategyProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Takes strategies through faults, a few cells at a time, because most of them wait most of the time. */
final class FaultLab {
    private static final int CELLS_AT_ONCE = 4;

    private final Duration lease;
    private final long seed;
    private final List<LabFault> faults;

    FaultLab(Duration lease, long seed, List<LabFault> faults) {
        this.lease = lease;
        this.seed = seed;
        this.faults = faults;
    }

    /** Plays all cells, each of which is a step of progress. */
    FaultReport run(List<Contestant> contestants, Progress progress) {
        ExecutorService pool = Executors.newFixedThreadPool(CELLS_AT_ONCE, task -> {
            Thread thread = new Thread(task, "fault-lab");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<List<Future<Cell>>> cells = new ArrayList<>();
            for (Contestant contestant : contestants) {
                StrategyProfile profile = contestant.profile(lease);
                cells.add(faults.stream()
                        .map(fault -> pool.submit((Callable<Cell>) () -> step(contestant, profile, fault, progress)))
                        .toList());
            }
            List<FaultReport.Row> rows = new ArrayList<>();
            for (int i = 0; i < contestants.size(); i++) {
                rows.add(row(contestants.get(i), cells.get(i)));
            }
            return new FaultReport(
                    seed,
                    lease.toMillis(),
                    redisVersion(),
                    faults.stream().map(FaultReport.Fault::of).toList(),
                    rows);
        } finally {
            pool.shutdownNow();
        }
    }

    private static String redisVersion() {
        try (Backend backend = EmbeddedBackend.start(1)) {
            return backend.redisVersion();
        }
    }

    private FaultReport.Row row(Contestant contestant, List<Future<Cell>> cells) {
        StrategyProfile profile = contestant.profile(lease);
        List<Cell> done = new ArrayList<>();
        for (Future<Cell> cell : cells) {
            try {
                done.add(cell.get());
            } catch (ExecutionException e) {
                throw new CompareException(Messages.of(e.getCause() == null ? e : e.getCause()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompareException("interrupted", e);
            }
        }
        return new FaultReport.Row(
                contestant.candidate().provider().name(),
                contestant.label(),
                contestant.options(lease),
                contestant.specimen(),
                profile.capabilities(),
                profile.assumptions(),
                done);
    }

    private Cell step(Contestant contestant, StrategyProfile profile, LabFault fault, Progress progress) {
        synchronized (progress) {
            progress.begin(contestant.label() + ": " + fault.id());
        }
        try {
            return cell(contestant, profile, fault);
        } finally {
            synchronized (progress) {
                progress.end();
            }
        }
    }

    /** Plays one cell, by nothing but the strategy, the fault and the seed. */
    Cell cell(Contestant contestant, StrategyProfile profile, LabFault fault) {
        if (!fault.concerns(profile)) {
            return Cell.without(fault, Cell.Outcome.DOES_NOT_APPLY, "the strategy does not use several servers");
        }
        if (fault.obstacle().isPresent()) {
            return Cell.without(fault, Cell.Outcome.NOT_RUN, fault.obstacle().get());
        }
        long chance = Objects.hash(seed, contestant.label(), fault.id());
        try (LabStage stage = new LabStage(contestant, lease, chance)) {
            fault.play(stage);
            Evidence evidence = stage.evidence(profile.supports(Capability.FENCING));
            CellVerdict verdict = CellVerdict.of(evidence);
            return Cell.played(fault, verdict, Declaration.of(verdict, fault, profile), evidence);
        } catch (RuntimeException | LinkageError e) {
            // One cell that fails must not hide what the others show.
            return Cell.without(fault, Cell.Outcome.FAILED, Messages.of(e));
        }
    }
}
