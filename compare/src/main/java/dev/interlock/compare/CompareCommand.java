// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import dev.interlock.LockStrategyProvider;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures strategies side by side and reports what was found. */
@Command(
        name = "compare",
        description = {
            "Measures the installed strategies side by side: their promises, a counter that two processes share, the cost of an"
                    + " uncontended lock, what contenders achieve, and which rules of the contract they keep.",
            "Starts Redis servers of its own on the loopback interface unless --redis names others, and leaves nothing behind."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all strategies were measured, no update was lost, and no rule was broken",
            "1:updates were lost, because a lock let two holders in at once, or a rule of the contract was broken",
            "2:an argument cannot be used",
            "3:a strategy could not be measured, or a server not be reached"
        })
final class CompareCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final Targets targets = new Targets();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where to write the report as compare.md and compare.json")
    private @Nullable Path out;

    @Option(
            names = "--quick",
            description =
                    "measure for about 10 seconds per strategy instead of 25; the figures are rougher, and the rules the same")
    private boolean quick;

    @Option(
            names = "--skip-conformance",
            description = "leave the rules of the contract out, which take half a minute per strategy")
    private boolean skipConformance;

    @Override
    public Integer call() {
        List<LockStrategyProvider> providers = targets.strategies();
        Servers servers = targets.servers();
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        targets.requireServers();
        List<Rule> rules = skipConformance ? List.of() : Rule.ALL;
        Comparison comparison = new Comparison(quick ? Effort.QUICK : Effort.NORMAL, servers, rules);
        Report report;
        PrintWriter err = spec.commandLine().getErr();
        try (Progress progress = Progress.on(err, "compare", providers.size() * comparison.steps())) {
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

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (CompareException e) {
            throw new ParameterException(spec.commandLine(), "--out: " + e.getMessage());
        }
    }

    static int exitCode(Report report) {
        if (report.strategies().stream().anyMatch(strategy -> strategy.lostUpdates() || strategy.breaksRules())) {
            return ExitCodes.BROKEN;
        }
        return report.strategies().stream().anyMatch(strategy -> strategy.failure() != null)
                ? ExitCodes.FAILED
                : ExitCodes.OK;
    }
}
