// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import dev.interlock.DistributedLocks;
import dev.interlock.LockStrategyProvider;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.RedisEndpoint;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures strategies side by side and reports what was found. */
@Command(
        name = "compare",
        description = {
            "Measures the installed strategies side by side: their promises, a counter that two processes share, the cost of an"
                    + " uncontended lock, and what contenders achieve.",
            "Starts Redis servers of its own on the loopback interface unless --redis names others, and leaves nothing behind."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all strategies were measured, and no update was lost",
            "1:updates were lost: a lock let two holders in at once",
            "2:an argument cannot be used",
            "3:a strategy could not be measured, or a server not be reached"
        })
final class CompareCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--redis",
            arity = "1..*",
            split = ",",
            paramLabel = "URI",
            description =
                    "Redis servers to use instead of embedded ones, as redis://[[user]:password@]host[:port][/database]"
                            + " or rediss://...; other clients' commands would be counted too, so leave them alone")
    private List<String> redis = new ArrayList<>();

    @Option(
            names = "--strategy",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the strategies to measure; all that are installed if left out")
    private List<String> strategies = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where to write the report as compare.md and compare.json")
    private @Nullable Path out;

    @Option(
            names = "--quick",
            description = "measure for about 10 seconds per strategy instead of 25; the figures are rougher")
    private boolean quick;

    @Override
    public Integer call() {
        List<LockStrategyProvider> providers = chosen();
        redis.forEach(this::requireUsable);
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        for (String uri : redis) {
            new PlainClient(uri).close();
        }
        Comparison comparison = new Comparison(quick ? Effort.QUICK : Effort.NORMAL, redis);
        Report report;
        PrintWriter err = spec.commandLine().getErr();
        try (Progress progress = Progress.on(err, providers.size() * comparison.steps())) {
            report = comparison.run(providers, progress);
        }
        List<ReportTable> tables = ReportTables.of(report);
        spec.commandLine().getOut().print(TerminalRenderer.render(report, tables));
        spec.commandLine().getOut().flush();
        if (directory != null) {
            directory.write("compare.md", MarkdownRenderer.render(report, tables));
            directory.write("compare.json", JsonRenderer.render(report));
        }
        return exitCode(report);
    }

    private List<LockStrategyProvider> chosen() {
        List<LockStrategyProvider> installed = DistributedLocks.strategies();
        if (installed.isEmpty()) {
            throw new CompareException("no lock strategy is installed: put the artifact of one on the class path");
        }
        if (strategies.isEmpty()) {
            return installed;
        }
        List<String> names = installed.stream().map(LockStrategyProvider::name).toList();
        for (String strategy : strategies) {
            if (!names.contains(strategy)) {
                throw usage(new NoSuchLockStrategyException(strategy, names).getMessage());
            }
        }
        return installed.stream()
                .filter(provider -> strategies.contains(provider.name()))
                .toList();
    }

    private void requireUsable(String uri) {
        try {
            RedisEndpoint.parse(uri);
        } catch (IllegalArgumentException e) {
            throw usage("--redis: " + e.getMessage());
        }
    }

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (CompareException e) {
            throw usage("--out: " + e.getMessage());
        }
    }

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(spec.commandLine(), String.valueOf(message));
    }

    private static int exitCode(Report report) {
        if (report.strategies().stream().anyMatch(StrategyReport::lostUpdates)) {
            return ExitCodes.LOST_UPDATES;
        }
        return report.strategies().stream().anyMatch(strategy -> strategy.failure() != null)
                ? ExitCodes.FAILED
                : ExitCodes.OK;
    }
}
