// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.FaultLab;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.FaultSeries;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.report.FaultText;
import dev.interlock.tools.report.JsonRenderer;
import dev.interlock.tools.report.ReportDirectory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows the behaviour of strategies under faults. */
@Command(
        name = "faults",
        description = {
            "Shows how the installed strategies behave under faults: for each fault, two clients in JVMs of their own read,"
                    + " change and write back a value under the lock, on Redis servers that are made to fail.",
            "Starts its own Redis servers on the loopback interface, because servers that others use must not be made to fail, and"
                    + " leaves nothing behind. docs/fault-lab.md explains the faults and the verdicts."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the strategies showed nothing that their profiles do not declare and the faults do not excuse",
            "1:two holders at once, or a lock that nobody could get, against a profile and without an excuse by the fault",
            "2:an argument cannot be used",
            "3:a fault could not be played"
        })
final class FaultsCommand implements Callable<Integer> {
    private static final long LEAST_LEASE = 500;
    private static final long MOST_LEASE = 60_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--strategy",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the strategies to look at, specimens too; all if left out")
    private List<String> strategies = new ArrayList<>();

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description =
                    "an option for the strategies that have it, such as cold-start=trust; see 'interlock strategies'")
    private Map<String, String> options = Map.of();

    @Option(
            names = "--fault",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the faults to play; all if left out")
    private List<String> faults = new ArrayList<>();

    @Option(
            names = "--lease",
            paramLabel = "MILLIS",
            defaultValue = "2000",
            description =
                    "the lease, from which all times follow: longer for a slow machine (default: ${DEFAULT-VALUE})")
    private long leaseMillis;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            defaultValue = "1",
            description = "the seed of the random moments at which faults strike (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--seeds",
            paramLabel = "COUNT",
            description =
                    "play each cell with so many seeds, from --seed on, and note the results in DIR/seeds.tsv; what is noted"
                            + " there is not played again, so that a long series can be stopped and continued")
    private @Nullable Integer seeds;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--out", paramLabel = "DIR", description = "where to write the report as faults.md and faults.json")
    private @Nullable Path out;

    @Option(
            names = "--histories",
            paramLabel = "DIR",
            description =
                    "where to write the histories of the clients' calls, for each cell one as JSON lines and one for Knossos")
    private @Nullable Path histories;

    @Override
    public Integer call() {
        if (leaseMillis < LEAST_LEASE || leaseMillis > MOST_LEASE) {
            throw usage("--lease: " + leaseMillis + " is not between " + LEAST_LEASE + " and " + MOST_LEASE);
        }
        List<Contestant> contestants = contestants();
        List<LabFault> chosen = faults();
        @Nullable ReportDirectory directory = out == null ? null : openDirectory("--out", out);
        if (histories != null) {
            if (seeds != null) {
                throw usage("--histories: not with --seeds");
            }
            openDirectory("--histories", histories);
        }
        if (seeds != null) {
            return runSeries(contestants, chosen, seeds);
        }
        FaultReport report;
        PrintWriter err = spec.commandLine().getErr();
        try (Progress progress = Progress.on(err, "faults", contestants.size() * chosen.size())) {
            report = new FaultLab(Duration.ofMillis(leaseMillis), seed, chosen, histories).run(contestants, progress);
        }
        output.print(spec.commandLine().getOut(), () -> JsonRenderer.render(report), () -> FaultText.render(report));
        if (directory != null) {
            directory.write("faults.md", FaultText.markdown(report));
            directory.write("faults.json", JsonRenderer.render(report));
        }
        if (report.hasUndeclared()) {
            return ExitCodes.BROKEN;
        }
        return report.hasFailed() ? ExitCodes.FAILED : ExitCodes.OK;
    }

    private int runSeries(List<Contestant> contestants, List<LabFault> chosen, int count) {
        Path directory = out;
        if (directory == null || output.isJson() || count < 1) {
            throw usage("--seeds: give a number of at least 1, --out for what is noted, and no --json");
        }
        FaultSeries series = new FaultSeries(
                directory.resolve("seeds.tsv"), Duration.ofMillis(leaseMillis), contestants, chosen, seed, count);
        FaultSeries.Summary summary;
        try (Progress progress = Progress.on(spec.commandLine().getErr(), "faults", series.left())) {
            summary = series.run(progress);
        }
        summary.lines().forEach(spec.commandLine().getOut()::println);
        if (!summary.undeclared().isEmpty()) {
            return ExitCodes.BROKEN;
        }
        return summary.failed().isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private List<Contestant> contestants() {
        List<LockStrategyProvider> installed = Targets.installed();
        for (String option : options.keySet()) {
            if (installed.stream()
                    .flatMap(provider -> provider.options().stream())
                    .noneMatch(known -> known.name().equals(option))) {
                throw usage("--option: no strategy has an option \"" + option + "\": see 'interlock strategies'");
            }
        }
        List<Contestant> all = Stream.concat(
                        Contestant.installed(installed, options).stream(), Contestant.SPECIMENS.stream())
                .toList();
        List<String> names =
                all.stream().map(it -> it.candidate().provider().name()).toList();
        for (String strategy : strategies) {
            if (!names.contains(strategy)) {
                throw usage("--strategy: there is no \"" + strategy + "\": name some of " + String.join(", ", names));
            }
        }
        return all.stream()
                .filter(it -> strategies.isEmpty()
                        || strategies.contains(it.candidate().provider().name()))
                .toList();
    }

    private List<LabFault> faults() {
        for (String fault : faults) {
            if (LabFault.of(fault).isEmpty()) {
                throw usage(
                        "--fault: there is no \"" + fault + "\": name some of " + String.join(", ", LabFault.ids()));
            }
        }
        return Stream.of(LabFault.values())
                .filter(fault -> faults.isEmpty() || faults.contains(fault.id()))
                .toList();
    }

    private ReportDirectory openDirectory(String option, Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (ToolException e) {
            throw usage(option + ": " + e.getMessage());
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
