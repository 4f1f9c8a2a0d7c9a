// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.DisturbedException;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.lab.play.LabProcesses;
import dev.interlock.tools.lab.play.LabStage;
import dev.interlock.tools.lab.play.NotConcernedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Plays faults on strategies, a few cells at a time, because most cells wait most of the time. */
public final class FaultLab {
    private static final int CELLS_AT_ONCE = 12;

    /** The most attempts at a cell. */
    private static final int TRIES = 4;

    private final Duration lease;
    private final long seed;
    private final List<LabFault> faults;
    private final @Nullable Path histories;

    public FaultLab(Duration lease, long seed, List<LabFault> faults) {
        this(lease, seed, faults, null);
    }

    /**
     * Creates a lab.
     *
     * @param histories an existing directory for the history of each cell, or {@code null} to keep none
     */
    public FaultLab(Duration lease, long seed, List<LabFault> faults, @Nullable Path histories) {
        this.lease = lease;
        this.seed = seed;
        this.faults = faults;
        this.histories = histories;
    }

    /** Plays all faults on some strategies; each cell is a step of progress. */
    public FaultReport run(List<Contestant> contestants, Progress progress) {
        List<LabCell> cells = play(
                contestants.stream()
                        .flatMap(contestant -> faults.stream().map(fault -> new Play(contestant, fault)))
                        .toList(),
                progress);
        List<FaultReport.Row> rows = new ArrayList<>();
        for (int i = 0; i < contestants.size(); i++) {
            rows.add(row(contestants.get(i), cells.subList(i * faults.size(), (i + 1) * faults.size())));
        }
        return new FaultReport(
                seed,
                lease.toMillis(),
                redisVersion(),
                faults.stream().map(FaultReport.Fault::of).toList(),
                rows);
    }

    /**
     * A cell that is to be played.
     *
     * @param contestant the strategy
     * @param fault the fault
     */
    public record Play(Contestant contestant, LabFault fault) {}

    /** Plays cells, each of which is a step of progress, and returns them in their order. */
    public List<LabCell> play(List<Play> plays, Progress progress) {
        LabProcesses processes = new LabProcesses();
        ExecutorService pool = Executors.newFixedThreadPool(CELLS_AT_ONCE, task -> {
            Thread thread = new Thread(task, "fault-lab");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<LabCell>> cells = plays.stream()
                    .map(play -> pool.submit((Callable<LabCell>) () -> step(play, processes, progress)))
                    .toList();
            return cells.stream().map(FaultLab::get).toList();
        } finally {
            pool.shutdownNow();
            processes.close();
        }
    }

    private static LabCell get(Future<LabCell> cell) {
        try {
            return cell.get();
        } catch (ExecutionException e) {
            throw new ToolException(Messages.of(e.getCause() == null ? e : e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }

    private static String redisVersion() {
        try (Backend backend = EmbeddedBackend.start(1)) {
            return backend.redisVersion();
        }
    }

    private FaultReport.Row row(Contestant contestant, List<LabCell> cells) {
        StrategyProfile profile = contestant.profile(lease);
        return new FaultReport.Row(
                contestant.candidate().provider().name(),
                contestant.label(),
                contestant.effectiveOptions(lease),
                contestant.specimen(),
                contestant.isPeer(),
                profile.capabilities(),
                profile.assumptions(),
                List.copyOf(cells));
    }

    private LabCell step(Play play, LabProcesses processes, Progress progress) {
        synchronized (progress) {
            progress.begin(play.contestant().label() + ": " + play.fault().id());
        }
        try {
            return undisturbedCell(play.contestant(), play.fault(), processes);
        } finally {
            synchronized (progress) {
                progress.end();
            }
        }
    }

    /** Plays one cell, and plays it again if the machine was too busy for its time plan. */
    private LabCell undisturbedCell(Contestant contestant, LabFault fault, LabProcesses processes) {
        for (int disturbed = 0; ; disturbed++) {
            try {
                return cell(contestant, fault, processes).disturbed(disturbed);
            } catch (DisturbedException e) {
                if (disturbed == TRIES - 1) {
                    return LabCell.without(fault, LabCell.Outcome.FAILED, Messages.of(e))
                            .disturbed(TRIES);
                }
            }
        }
    }

    /** Plays one cell. Its course depends on the strategy, the fault and the seed alone. */
    private LabCell cell(Contestant contestant, LabFault fault, LabProcesses processes) {
        StrategyProfile profile = contestant.profile(lease);
        if (!fault.concerns(profile)) {
            return LabCell.without(fault, LabCell.Outcome.DOES_NOT_APPLY, "the strategy does not use several servers");
        }
        Optional<String> objection =
                fault.topology().objection(contestant.candidate().provider());
        if (objection.isPresent()) {
            return LabCell.without(fault, LabCell.Outcome.DOES_NOT_APPLY, objection.get());
        }
        if (fault.obstacle().isPresent()) {
            return LabCell.without(
                    fault, LabCell.Outcome.NOT_RUN, fault.obstacle().get());
        }
        if (contestant.isPeer() && fault.obstacleForPeers().isPresent()) {
            return LabCell.without(
                    fault, LabCell.Outcome.NOT_RUN, fault.obstacleForPeers().get());
        }
        long chance = Objects.hash(seed, contestant.label(), fault.id());
        try (LabStage stage = new LabStage(contestant, lease, chance, processes)) {
            fault.play(stage);
            Evidence evidence = stage.evidence(profile.supports(Capability.FENCING));
            if (histories != null) {
                stage.writeHistory(histories, contestant.label().replaceAll("[^\\w.-]+", "-") + "." + fault.id());
            }
            CellVerdict verdict = judge(evidence, stage::requireHeld);
            Declaration declaration = KnownDefects.listed()
                    .judge(
                            Declaration.of(verdict, evidence.unserved(), fault, profile),
                            contestant.label(),
                            fault,
                            verdict);
            return LabCell.played(fault, verdict, declaration, evidence);
        } catch (NotConcernedException e) {
            return LabCell.without(fault, LabCell.Outcome.DOES_NOT_APPLY, Messages.of(e));
        } catch (DisturbedException e) {
            throw e;
        } catch (RuntimeException | LinkageError e) {
            // One cell that fails must not hide what the others show.
            return LabCell.without(fault, LabCell.Outcome.FAILED, Messages.of(e));
        }
    }

    /**
     * Judges evidence, and the course of the cell only if the evidence shows no harm: a holder that lost the lock to a
     * rival is no sign that the machine was too busy.
     *
     * @param requireHeld throws if the holder has lost the lock for no reason
     */
    static CellVerdict judge(Evidence evidence, Runnable requireHeld) {
        CellVerdict verdict = CellVerdict.of(evidence);
        if (verdict == CellVerdict.SAFE) {
            requireHeld.run();
        }
        return verdict;
    }
}
