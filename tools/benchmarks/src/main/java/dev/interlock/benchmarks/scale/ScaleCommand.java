// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.backends.Topology;
import dev.interlock.tools.cli.ExitCodes;
import dev.interlock.tools.report.ReportDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures how costs grow, and reports them with the predictions of a model. */
@Command(
        name = "interlock scale",
        description = {
            "Measures what names held, threads that wait, and client JVMs cost servers and clients as they grow, and computes"
                    + " from that what more servers carry. Each row has Redis servers and client JVMs of its own.",
            "The default rows take about a quarter of an hour. The memory of a row is that of its servers and clients: a million"
                    + " names need about 2 GB in all, 64 JVMs about 4 GB."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:all was measured", "2:an argument cannot be used", "3:something could not be measured"})
final class ScaleCommand implements Callable<Integer> {
    /** The heap of each JVM, in megabytes, where many run at once. */
    private static final int SMALL_HEAP = 64;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--held",
            arity = "0..*",
            split = ",",
            paramLabel = "N",
            description = "how many names one client holds; 100,1000,10000,100000 if left out; 0 for no such row")
    private List<Integer> held = List.of(100, 1_000, 10_000, 100_000);

    @Option(
            names = "--waiters",
            arity = "0..*",
            split = ",",
            paramLabel = "N",
            description =
                    "how many threads wait, for a name each and then for one name; 10,100,1000 if left out; 0 for no such row")
    private List<Integer> waiters = List.of(10, 100, 1_000);

    @Option(
            names = "--clients",
            arity = "0..*",
            split = ",",
            paramLabel = "N",
            description =
                    "how many JVMs acquire and release, on names of their own and then on one name; 1,4,16 if left out; 0 for no"
                            + " such row")
    private List<Integer> clients = List.of(1, 4, 16);

    @Option(
            names = "--lease",
            arity = "1..*",
            split = ",",
            paramLabel = "MILLIS",
            description =
                    "the leases: all rows have the first one, and rows of names held are repeated with each of the others"
                            + " (default: 30000)")
    private List<Long> leases = List.of(30_000L);

    @Option(
            names = "--candidate",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the candidates to measure, by the names of interlock bench (default: set-nx-px/interlock)")
    private List<String> candidates = List.of("set-nx-px/interlock");

    @Option(
            names = "--topology",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description =
                    "single, cluster (three primaries with a replica each), or both (default: single); candidates that do not"
                            + " run there are left out")
    private List<String> topologies = List.of(Topology.SINGLE_SERVERS.id());

    @Option(
            names = "--time",
            paramLabel = "MILLIS",
            defaultValue = "10000",
            description =
                    "for how long each row is measured at least (default: ${DEFAULT-VALUE}); names that are held, for whole"
                            + " periods of renewal")
    private long millis;

    @Option(
            names = "--heap",
            paramLabel = "MB",
            defaultValue = "1536",
            description =
                    "the most heap of a client's JVM (default: ${DEFAULT-VALUE}); where many run, each has 64 at most")
    private int heap;

    @Option(
            names = "--with",
            arity = "1..*",
            split = ",",
            paramLabel = "FILE",
            description =
                    "the scale.csv of earlier runs, whose rows are reported too, and count for the model; a row that is"
                            + " measured again replaces the earlier one")
    private List<Path> earlier = List.of();

    @Option(names = "--out", paramLabel = "DIR", description = "where to write the report as scale.md and scale.csv")
    private @Nullable Path out;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "shows this help")
    @SuppressWarnings("UnusedVariable") // Read by the parser.
    private boolean help;

    /** A row that is to be measured. */
    private record Step(Candidate candidate, Topology topology, GrowthLoad load, int size, Duration lease) {
        String title() {
            return load.id() + " " + size + ": " + candidate.name() + ", " + topology.id() + ", lease "
                    + lease.toMillis() + " ms";
        }
    }

    @Override
    public Integer call() {
        requirePositive("--time", millis);
        requirePositive("--heap", heap);
        List<Step> steps = steps();
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        List<GrowthRow> rows = earlierRows();
        List<String> problems = new ArrayList<>();
        try (Progress progress = Progress.on(spec.commandLine().getErr(), "scale", steps.size())) {
            for (Step step : steps) {
                progress.begin(step.title());
                try {
                    replace(rows, measure(step));
                } catch (RuntimeException e) {
                    // One row that fails must not hide the others.
                    problems.add(step.title() + ": " + Messages.of(e).replace("\n", " "));
                } finally {
                    progress.end();
                }
                if (directory != null) {
                    // Written after each row, so that a run that is ended early leaves a report.
                    write(directory, report(rows, problems));
                }
            }
        }
        if (directory != null) {
            write(directory, report(rows, problems));
        }
        spec.commandLine().getOut().print(report(rows, problems).markdown());
        spec.commandLine().getOut().flush();
        return problems.isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
    }

    /** Rows of several runs are shown in one order. */
    private static ScaleReport report(List<GrowthRow> rows, List<String> problems) {
        List<GrowthRow> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparing(GrowthRow::topology).thenComparingInt(GrowthRow::size));
        return new ScaleReport(sorted, problems);
    }

    private static void write(ReportDirectory directory, ScaleReport report) {
        directory.write("scale.md", report.markdown());
        directory.write("scale.csv", report.csv());
    }

    private GrowthRow measure(Step step) {
        Duration time = Duration.ofMillis(millis);
        int size = step.size();
        Duration lease = step.lease();
        try (ScaleBed bed = new ScaleBed(step.candidate(), step.topology())) {
            Map<GrowthMetric, Double> values = switch (step.load()) {
                case HELD -> HeldGrowth.measure(bed, size, lease, time, heap);
                case WAITERS_OWN_NAMES -> WaiterGrowth.measure(bed, size, false, lease, time, heap);
                case WAITERS_ONE_NAME -> WaiterGrowth.measure(bed, size, true, lease, time, heap);
                case CLIENTS_OWN_NAMES -> ClientGrowth.measure(bed, size, false, lease, time, smallHeap());
                case CLIENTS_ONE_NAME -> ClientGrowth.measure(bed, size, true, lease, time, smallHeap());
            };
            bed.requireSamePrimaries();
            return new GrowthRow(
                    step.candidate().name(),
                    step.candidate().effectiveOptions(),
                    step.topology(),
                    bed.primaries(),
                    step.load(),
                    size,
                    lease,
                    values);
        }
    }

    private int smallHeap() {
        return Math.min(heap, SMALL_HEAP);
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (Candidate candidate : chosenCandidates()) {
            for (Topology topology : chosenTopologies()) {
                if (candidate.runsOn(topology)) {
                    for (GrowthLoad load : GrowthLoad.values()) {
                        addSteps(steps, candidate, topology, load);
                    }
                }
            }
        }
        if (steps.isEmpty() && earlier.isEmpty()) {
            throw usage("there is nothing to measure: --held, --waiters and --clients are 0, or no --candidate runs on"
                    + " the --topology");
        }
        return steps;
    }

    private void addSteps(List<Step> steps, Candidate candidate, Topology topology, GrowthLoad load) {
        List<Duration> all = leases.stream()
                .peek(lease -> requirePositive("--lease", lease))
                .map(Duration::ofMillis)
                .toList();
        for (Duration lease : load == GrowthLoad.HELD ? all : all.subList(0, 1)) {
            sizes(load).stream()
                    // A single client has nobody to hand a lock to.
                    .filter(size -> size >= (load == GrowthLoad.CLIENTS_ONE_NAME ? 2 : 1))
                    .forEach(size -> steps.add(new Step(candidate, topology, load, size, lease)));
        }
    }

    private List<Integer> sizes(GrowthLoad load) {
        return switch (load) {
            case HELD -> held;
            case WAITERS_OWN_NAMES, WAITERS_ONE_NAME -> waiters;
            case CLIENTS_OWN_NAMES, CLIENTS_ONE_NAME -> clients;
        };
    }

    private List<Candidate> chosenCandidates() {
        List<Candidate> all = Candidates.allAnd(candidates);
        return candidates.stream()
                .map(name -> all.stream()
                        .filter(candidate -> candidate.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> usage("--candidate: there is no \"" + name + "\"; there are "
                                + String.join(
                                        ", ", all.stream().map(Candidate::name).toList()))))
                .toList();
    }

    private List<Topology> chosenTopologies() {
        List<Topology> all = List.of(Topology.SINGLE_SERVERS, Topology.CLUSTER);
        return topologies.stream()
                .map(name -> all.stream()
                        .filter(topology -> topology.id().equals(name))
                        .findFirst()
                        .orElseThrow(() -> usage("--topology: there is no \"" + name + "\"; there are "
                                + all.stream().map(Topology::id).collect(Collectors.joining(", ")))))
                .toList();
    }

    private List<GrowthRow> earlierRows() {
        List<GrowthRow> rows = new ArrayList<>();
        try {
            earlier.forEach(file -> GrowthCsv.read(file).forEach(row -> replace(rows, row)));
        } catch (ToolException e) {
            throw usage("--with: " + e.getMessage());
        }
        return rows;
    }

    private static void replace(List<GrowthRow> rows, GrowthRow row) {
        rows.removeIf(row::isSameAs);
        rows.add(row);
    }

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (ToolException e) {
            throw usage("--out: " + e.getMessage());
        }
    }

    private void requirePositive(String option, long value) {
        if (value < 1) {
            throw usage(option + " is " + value + ": it must be at least 1");
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
