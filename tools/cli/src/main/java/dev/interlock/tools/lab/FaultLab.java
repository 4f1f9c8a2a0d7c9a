// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.Capability;
import dev.interlock.StrategyProfile;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.lab.play.LabStage;
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
public final class FaultLab {
    private static final int CELLS_AT_ONCE = 4;

    private final Duration lease;
    private final long seed;
    private final List<LabFault> faults;

    public FaultLab(Duration lease, long seed, List<LabFault> faults) {
        this.lease = lease;
        this.seed = seed;
        this.faults = faults;
    }

    /** Plays all cells, each of which is a step of progress. */
    public FaultReport run(List<Contestant> contestants, Progress progress) {
        ExecutorService pool = Executors.newFixedThreadPool(CELLS_AT_ONCE, task -> {
            Thread thread = new Thread(task, "fault-lab");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<List<Future<LabCell>>> cells = new ArrayList<>();
            for (Contestant contestant : contestants) {
                StrategyProfile profile = contestant.profile(lease);
                cells.add(faults.stream()
                        .map(fault -> pool.submit((Callable<LabCell>) () -> step(contestant, profile, fault, progress)))
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

    private FaultReport.Row row(Contestant contestant, List<Future<LabCell>> cells) {
        StrategyProfile profile = contestant.profile(lease);
        List<LabCell> done = new ArrayList<>();
        for (Future<LabCell> cell : cells) {
            try {
                done.add(cell.get());
            } catch (ExecutionException e) {
                throw new ToolException(Messages.of(e.getCause() == null ? e : e.getCause()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted", e);
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

    private LabCell step(Contestant contestant, StrategyProfile profile, LabFault fault, Progress progress) {
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
    LabCell cell(Contestant contestant, StrategyProfile profile, LabFault fault) {
        if (!fault.concerns(profile)) {
            return LabCell.without(fault, LabCell.Outcome.DOES_NOT_APPLY, "the strategy does not use several servers");
        }
        if (fault.obstacle().isPresent()) {
            return LabCell.without(
                    fault, LabCell.Outcome.NOT_RUN, fault.obstacle().get());
        }
        long chance = Objects.hash(seed, contestant.label(), fault.id());
        try (LabStage stage = new LabStage(contestant, lease, chance)) {
            fault.play(stage);
            Evidence evidence = stage.evidence(profile.supports(Capability.FENCING));
            CellVerdict verdict = CellVerdict.of(evidence);
            return LabCell.played(fault, verdict, Declaration.of(verdict, fault, profile), evidence);
        } catch (RuntimeException | LinkageError e) {
            // One cell that fails must not hide what the others show.
            return LabCell.without(fault, LabCell.Outcome.FAILED, Messages.of(e));
        }
    }
}
