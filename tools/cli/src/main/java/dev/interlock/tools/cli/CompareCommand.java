// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.ConfiguredStrategy;
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
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.peers.Peers;
import dev.interlock.tools.peers.Versions;
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
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
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

/** Compares strategies and reports the findings. */
@Command(
        name = "compare",
        description = {
            "Compares the installed strategies, and locks of other libraries with them: their promises, which rules of the"
                    + " contract they keep, how they behave under faults, how fast they are, and which one to take for what."
                    + " Takes 10 to 20 minutes on two cores.",
            "Starts Redis servers of its own on the loopback interface unless --redis names others, and leaves nothing behind."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all strategies were examined, and nothing was found that their profiles do not declare",
            "1:updates were lost, a rule of the contract was broken, or a fault led to two holders that a profile does not declare",
            "2:an argument cannot be used",
            "3:a strategy could not be examined, or a server not be reached"
        })
final class CompareCommand implements Callable<Integer> {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_MILLIS = 1_000;
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
                    "measure for longer and with growing numbers of clients, play all faults, and show specimens of broken locks beside"
                            + " the strategies: takes about an hour with --repeat 3 --rtt 1,5,20")
    private boolean full;

    @Option(names = "--no-peers", description = "leave out the locks of other libraries")
    private boolean noPeers;

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description =
                    "an option for the strategies that have it, such as fencing=false; see 'interlock strategies'")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--repeat",
            paramLabel = "COUNT",
            defaultValue = "1",
            description =
                    "in how many rounds speed is measured and locks of other libraries are asked the rules; tables show the median"
                            + " and the least and the most (default: ${DEFAULT-VALUE})")
    private int repeat;

    @Option(
            names = "--rtt",
            arity = "1..*",
            split = ",",
            paramLabel = "MILLIS",
            description =
                    "measure speed also over networks with these round trips, such as 1,5,20, through a proxy in front of each"
                            + " server")
    private List<Double> roundTrips = new ArrayList<>();

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
            description = "the seed of the random moments at which faults strike (default: ${DEFAULT-VALUE})")
    private long seed;

    @Override
    public Integer call() {
        Servers servers = targets.servers();
        List<String> omitted = new ArrayList<>();
        List<ConfiguredStrategy> strategies = strategies(servers, omitted);
        Set<Part> parts = parts();
        requireSenseOfNumbers(servers);
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        servers.requireReachable();
        if (!servers.named().isEmpty() && parts.remove(Part.FAULTS)) {
            omitted.add("The faults were left out: servers that --redis names are not made to fail.");
        }
        Report report = examine(strategies, servers, parts, omitted);
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

    private List<ConfiguredStrategy> strategies(Servers servers, List<String> omitted) {
        List<PeerProvider> peers = noPeers ? List.of() : Peers.all();
        List<LockStrategyProvider> providers = targets.with(peers, servers, omitted);
        List<ConfiguredStrategy> strategies = providers.stream()
                .map(provider -> new ConfiguredStrategy(
                        provider,
                        provider instanceof PeerProvider
                                ? Map.of()
                                : ConfiguredStrategy.of(provider, options).options()))
                .toList();
        for (String option : options.keySet()) {
            if (strategies.stream().noneMatch(strategy -> strategy.options().containsKey(option))) {
                throw usage("--option: no strategy has an option \"" + option + "\": see 'interlock strategies'");
            }
        }
        for (ConfiguredStrategy strategy : strategies) {
            // A factory sends no request before the first acquisition.
            try {
                strategy.open(Servers.imaginary(strategy.provider())).close();
            } catch (IllegalArgumentException e) {
                throw usage("--option: " + e.getMessage());
            }
        }
        if (!noPeers && !targets.areNamed()) {
            omitted.addAll(Peers.MISSING);
        }
        return strategies;
    }

    private void requireSenseOfNumbers(Servers servers) {
        if (repeat < 1) {
            throw usage("--repeat: " + repeat + " is less than 1");
        }
        if (roundTrips.stream().anyMatch(millis -> !(millis > 0 && millis <= MOST_MILLIS))) {
            throw usage("--rtt: name milliseconds above 0 and up to " + MOST_MILLIS);
        }
        if (!roundTrips.isEmpty() && !servers.named().isEmpty()) {
            throw usage("--rtt: no proxy is put in front of servers that --redis names: leave one of the two out");
        }
    }

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(spec.commandLine(), String.valueOf(message));
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

    private Report examine(List<ConfiguredStrategy> chosen, Servers servers, Set<Part> parts, List<String> omitted) {
        Comparison comparison = new Comparison(
                new Comparison.Extent(
                        full ? Effort.NORMAL : Effort.QUICK,
                        parts.contains(Part.SPEED),
                        repeat,
                        roundTrips.stream()
                                .map(millis -> Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)))
                                .toList(),
                        full),
                servers,
                parts.contains(Part.CONFORMANCE) ? Rule.ALL : List.of());
        List<Contestant> contestants = parts.contains(Part.FAULTS) ? contestants(chosen) : List.of();
        double loadBefore = load();
        List<LabFault> faults = full ? List.of(LabFault.values()) : LabFault.QUICK;
        List<StrategyReport> strategies;
        @Nullable FaultReport lab = null;
        PrintWriter err = spec.commandLine().getErr();
        int steps = comparison.steps(chosen) + contestants.size() * faults.size();
        try (Progress progress = Progress.on(err, "compare", steps)) {
            strategies = comparison.run(chosen, progress);
            if (!contestants.isEmpty()) {
                lab = new FaultLab(LEASE, seed, faults).run(contestants, progress);
            }
        }
        return new Report(
                Report.KIND,
                Report.SCHEMA_VERSION,
                Version.OF_INTERLOCK,
                Version.ofCommit().orElse(null),
                command(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                (full ? Effort.NORMAL : Effort.QUICK).name(),
                repeat,
                Machine.here(),
                loadBefore < 0 ? null : List.of(loadBefore, load()),
                strategies,
                lab,
                Recommendations.of(strategies, lab),
                omitted,
                parts.contains(Part.SPEED) ? Report.SpeedTerms.present() : null,
                Versions.inUse());
    }

    private List<Contestant> contestants(List<ConfiguredStrategy> strategies) {
        List<LockStrategyProvider> ours = new ArrayList<>();
        List<PeerProvider> peers = new ArrayList<>();
        for (ConfiguredStrategy strategy : strategies) {
            if (strategy.provider() instanceof PeerProvider peer) {
                peers.add(peer);
            } else {
                ours.add(strategy.provider());
            }
        }
        return Stream.of(
                        Contestant.installed(ours, options),
                        Contestant.peers(peers),
                        full ? Contestant.SPECIMENS : List.<Contestant>of())
                .flatMap(List::stream)
                .toList();
    }

    /** Returns how many threads want a processor, as the average of the last minute; negative if that is not known. */
    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** Returns the command that makes the report again, without passwords. */
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
                        .anyMatch(strategy -> strategy.ours() && (strategy.lostUpdates() || strategy.breaksRules()))) {
            return ExitCodes.BROKEN;
        }
        boolean failed = report.faults() != null && report.faults().hasFailed();
        return failed
                        || report.strategies().stream()
                                .anyMatch(strategy -> strategy.ours() && strategy.failure() != null)
                ? ExitCodes.FAILED
                : ExitCodes.OK;
    }
}
