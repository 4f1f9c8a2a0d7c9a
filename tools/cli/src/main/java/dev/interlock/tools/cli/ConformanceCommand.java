// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.conformance.Conformance;
import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.report.ConformancePage;
import dev.interlock.tools.report.ConformanceText;
import dev.interlock.tools.report.JsonRenderer;
import dev.interlock.tools.report.ReportDirectory;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the conformance kit with installed strategies. */
@Command(
        name = "conformance",
        description = {
            "Checks the installed strategies against the contract: runs each of its rules (docs/contract.md) on real Redis"
                    + " servers.",
            "Starts Redis servers of its own on the loopback interface unless --redis names others, and leaves nothing behind."
                    + " Servers that --redis names are not made to fail: rules about faults that a proxy cannot imitate are"
                    + " skipped. What a strategy keeps for long, such as its last fencing tokens, stays there under keys that begin with interlock-kit."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:no rule was broken",
            "1:a rule was broken",
            "2:an argument cannot be used",
            "3:the kit could not run, or a server not be reached"
        })
final class ConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final Targets targets = new Targets();

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description =
                    "an option for the strategies that have it, such as client=lettuce; see 'interlock strategies'")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--chapter",
            arity = "1..*",
            split = ",",
            paramLabel = "N",
            description = "run the rules of these chapters only, such as 4")
    private List<String> chapters = new ArrayList<>();

    @Option(
            names = "--rule",
            arity = "1..*",
            split = ",",
            paramLabel = "N.N",
            description = "run these rules only, such as 4.2")
    private List<String> rules = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where to write the report as conformance.md and conformance.json")
    private @Nullable Path out;

    @Option(
            names = "--document",
            paramLabel = "FILE",
            description =
                    "run each strategy over each client library that it can use, and write the page of all rules and"
                            + " results, such as docs/conformance.md")
    private @Nullable Path document;

    @Override
    public Integer call() {
        Servers servers = targets.servers();
        List<String> omitted = new ArrayList<>();
        List<ConfiguredStrategy> candidates = candidates(servers, omitted);
        List<Rule> chosen = rules();
        requireUsableOptions(candidates);
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        @Nullable ReportDirectory pages = document == null ? null : openParent(document);
        servers.requireReachable();
        ConformanceReport report;
        PrintWriter err = spec.commandLine().getErr();
        omitted.forEach(err::println);
        try (Progress progress = Progress.on(err, "conformance", candidates.size() * chosen.size())) {
            report = new Conformance(servers, chosen).run(candidates, progress);
        }
        spec.commandLine().getOut().print(ConformanceText.render(report));
        spec.commandLine().getOut().flush();
        if (directory != null) {
            directory.write("conformance.md", ConformancePage.render(report));
            directory.write("conformance.json", JsonRenderer.render(report));
        }
        if (pages != null && document != null) {
            pages.write(document.getFileName().toString(), ConformancePage.render(report));
        }
        return exitCode(report);
    }

    private List<ConfiguredStrategy> candidates(Servers servers, List<String> omitted) {
        List<LockStrategyProvider> providers = targets.strategies(servers, omitted);
        for (String option : options.keySet()) {
            if (providers.stream()
                    .flatMap(provider -> provider.options().stream())
                    .noneMatch(known -> known.name().equals(option))) {
                throw usage("--option: no strategy has an option \"" + option + "\": see 'interlock strategies'");
            }
        }
        return providers.stream()
                .map(provider -> ConfiguredStrategy.of(provider, options))
                .flatMap(candidate -> (document == null ? List.of(candidate) : candidate.overEachClient()).stream())
                .toList();
    }

    /** Fails at once where each rule would fail. */
    private void requireUsableOptions(List<ConfiguredStrategy> candidates) {
        for (ConfiguredStrategy candidate : candidates) {
            if (candidate.options().isEmpty()) {
                continue;
            }
            // A factory sends no request before the first acquisition.
            try {
                candidate.open(Servers.imaginary(candidate.provider())).close();
            } catch (IllegalArgumentException e) {
                throw usage("--option: " + e.getMessage());
            }
        }
    }

    private List<Rule> rules() {
        if (chapters.isEmpty() && rules.isEmpty()) {
            return Rule.ALL;
        }
        for (String chapter : chapters) {
            if (Arrays.stream(Chapter.values()).noneMatch(it -> isNumber(chapter, it))) {
                throw usage("--chapter: there is no chapter \"" + chapter + "\": the contract has chapters 1 to "
                        + Chapter.values().length);
            }
        }
        for (String rule : rules) {
            if (Rule.ALL.stream().noneMatch(it -> it.id().equals(rule))) {
                throw usage("--rule: there is no rule \"" + rule + "\": docs/contract.md lists them, from "
                        + Rule.ALL.get(0).id() + " on");
            }
        }
        return Rule.ALL.stream()
                .filter(rule -> rules.contains(rule.id())
                        || chapters.stream().anyMatch(chapter -> isNumber(chapter, rule.chapter())))
                .toList();
    }

    private static boolean isNumber(String number, Chapter chapter) {
        return number.equals(Integer.toString(chapter.number()));
    }

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (ToolException e) {
            throw usage("--out: " + e.getMessage());
        }
    }

    private ReportDirectory openParent(Path file) {
        if (Files.isDirectory(file)) {
            throw usage("--document: " + file + " is a directory: name a file in it");
        }
        try {
            return ReportDirectory.open(file.toAbsolutePath().resolveSibling(""));
        } catch (ToolException e) {
            throw usage("--document: " + e.getMessage());
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static int exitCode(ConformanceReport report) {
        if (report.results().values().stream().anyMatch(ConformanceResult::broken)) {
            return ExitCodes.BROKEN;
        }
        return report.problems().isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
    }
}
