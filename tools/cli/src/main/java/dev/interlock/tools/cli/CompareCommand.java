// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.lab.FaultLab;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.measure.Effort;
import dev.interlock.tools.report.HtmlRenderer;
import dev.interlock.tools.report.JsonRenderer;
import dev.interlock.tools.report.MarkdownRenderer;
import dev.interlock.tools.report.Recommendations;
import dev.interlock.tools.report.Report;
import dev.interlock.tools.report.ReportDirectory;
import dev.interlock.tools.report.ReportTable;
import dev.interlock.tools.report.ReportTables;
import dev.interlock.tools.report.StrategyReport;
import dev.interlock.tools.report.TerminalRenderer;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Puts strategies side by side and reports what was found. */
@Command(
        name = "compare",
        description = {
            "Puts the installed strategies side by side: their promises, which rules of the contract they keep, what they do when"
                    + " things go wrong, how fast they are, and which one to take for what. Takes about five minutes on two cores.",
            "Starts Redis servers of its own on the loopback interface unless --redis names others, and leaves nothing behind."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all strategies were examined, and nothing was found that their profiles do not declare",
            "1:updates were lost, a rule of the contract was broken, or a fault let two holders in that a profile does not declare",
            "2:an argument cannot be used",
            "3:a strategy could not be examined, or a server not be reached"
        })
final class CompareCommand implements Callable<Integer> {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Spec
    private CommandSpec spec;

    @Mixin
    private final Targets targets = new Targets();

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where to write the report as report.html, report.md and report.json")
    private @Nullable Path out;

    @Option(
            names = "--full",
            description =
                    "measure for longer, play all faults, and show specimens of broken locks beside the strategies: takes about"
                            + " ten minutes")
    private boolean full;

    @Option(
            names = "--only",
            arity = "1..*",
            split = ",",
            paramLabel = "PART",
            description = "these parts only: profiles, conformance, faults, speed")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            defaultValue = "1",
            description = "what chance is drawn from in the faults (default: ${DEFAULT-VALUE})")
    private long seed;

    @Override
    public Integer call() {
        Servers servers = targets.servers();
        List<String> omitted = new ArrayList<>();
        List<LockStrategyProvider> providers = targets.strategies(servers, omitted);
        Set<Part> parts = parts();
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        servers.requireReachable();
        if (!servers.named().isEmpty() && parts.remove(Part.FAULTS)) {
            omitted.add("The faults were left out: servers that --redis names are not made to fail.");
        }
        Report report = examine(providers, servers, parts, omitted);
        List<ReportTable> tables = ReportTables.of(report);
        output.print(
                spec.commandLine().getOut(),
                () -> JsonRenderer.render(report),
                () -> TerminalRenderer.render(report, tables));
        if (directory != null) {
            directory.write("report.html", HtmlRenderer.render(report));
            directory.write("report.md", MarkdownRenderer.render(report, tables));
            directory.write("report.json", JsonRenderer.render(report));
        }
        return exitCode(report);
    }

    private Set<Part> parts() {
        Set<Part> parts = EnumSet.noneOf(Part.class);
        for (String part : only) {
            parts.add(Part.of(part)
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(),
                            "--only: there is no part \"" + part + "\": name some of "
                                    + String.join(", ", Part.ids()))));
        }
        return parts.isEmpty() ? EnumSet.allOf(Part.class) : parts;
    }

    private Report examine(
            List<LockStrategyProvider> providers, Servers servers, Set<Part> parts, List<String> omitted) {
        Comparison comparison = new Comparison(
                full ? Effort.NORMAL : Effort.QUICK,
                servers,
                parts.contains(Part.SPEED),
                parts.contains(Part.CONFORMANCE) ? Rule.ALL : List.of());
        List<Contestant> contestants = parts.contains(Part.FAULTS) ? contestants(providers) : List.of();
        List<LabFault> faults = full ? List.of(LabFault.values()) : LabFault.QUICK;
        List<StrategyReport> strategies;
        @Nullable FaultReport lab = null;
        PrintWriter err = spec.commandLine().getErr();
        int steps = providers.size() * comparison.steps() + contestants.size() * faults.size();
        try (Progress progress = Progress.on(err, "compare", steps)) {
            strategies = comparison.run(providers, progress);
            if (!contestants.isEmpty()) {
                lab = new FaultLab(LEASE, seed, faults).run(contestants, progress);
            }
        }
        return new Report(
                Report.SCHEMA_VERSION,
                Version.OF_INTERLOCK,
                command(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                (full ? Effort.NORMAL : Effort.QUICK).name(),
                Machine.here(),
                strategies,
                lab,
                Recommendations.of(strategies, lab),
                omitted);
    }

    private List<Contestant> contestants(List<LockStrategyProvider> providers) {
        return Stream.concat(
                        Contestant.installed(providers, Map.of()).stream(),
                        full ? Contestant.SPECIMENS.stream() : Stream.of())
                .toList();
    }

    /** How the report can be made again, but for passwords. */
    private String command() {
        List<String> words = new ArrayList<>(List.of("./interlock"));
        words.addAll(spec.commandLine().getParent().getParseResult().originalArgs());
        return Messages.withoutPasswords(String.join(" ", words));
    }

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (ToolException e) {
            throw new ParameterException(spec.commandLine(), "--out: " + e.getMessage());
        }
    }

    static int exitCode(Report report) {
        boolean undeclared = report.faults() != null && report.faults().hasUndeclared();
        if (undeclared
                || report.strategies().stream()
                        .anyMatch(strategy -> strategy.lostUpdates() || strategy.breaksRules())) {
            return ExitCodes.BROKEN;
        }
        boolean failed = report.faults() != null && report.faults().hasFailed();
        return failed || report.strategies().stream().anyMatch(strategy -> strategy.failure() != null)
                ? ExitCodes.FAILED
                : ExitCodes.OK;
    }
}
