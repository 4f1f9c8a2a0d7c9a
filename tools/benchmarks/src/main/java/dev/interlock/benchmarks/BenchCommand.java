// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.PingTimes;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.benchmarks.scenarios.Scenario;
import dev.interlock.benchmarks.scenarios.Scenarios;
import dev.interlock.benchmarks.scenarios.Sizes;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.cli.ExitCodes;
import dev.interlock.tools.report.ReportDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures candidates in scenarios and reports the figures. */
@Command(
        name = "interlock bench",
        description = {
            "Measures the installed strategies, over each of their clients, against bare clients, Redisson and Spring"
                    + " Integration, each measurement on fresh Redis servers of its own on the loopback interface.",
            "Leave the machine alone meanwhile: all of it takes several hours, and as long again for each --rtt and"
                    + " --topology."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all was measured, and no update was lost",
            "1:updates were lost, because a lock let two holders in at once",
            "2:an argument cannot be used",
            "3:something could not be measured"
        })
final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--scenario",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the scenarios to measure; all if left out; an unknown name prints the list")
    private List<String> scenarios = new ArrayList<>();

    @Option(
            names = "--candidate",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description =
                    "the candidates to measure, or what several of them begin with up to a slash, such as set-nx-px or"
                            + " set-nx-px/jedis, or one with further options of its strategy, such as"
                            + " set-nx-px/interlock/shared-connections=4; all if left out; an unknown name prints the list")
    private List<String> candidates = new ArrayList<>();

    @Mixin
    private final SettingOptions settingOptions = new SettingOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "for how long each measurement lasts (default: ${DEFAULT-VALUE}), after half of that to warm up")
    private int seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "how many times each measurement is made (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--pin",
            description =
                    "let clients and servers share one core, so that figures show the cost of the code and not how threads on"
                            + " several cores wake each other; needs taskset, which Linux has")
    private boolean pin;

    @Option(
            names = "--engine",
            description = "measure the engine alone instead, without Redis: with JMH, for --rounds times --seconds")
    private boolean engine;

    @Option(names = "--out", paramLabel = "DIR", description = "where to write the report as bench.md and bench.csv")
    private @Nullable Path out;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "shows this help")
    @SuppressWarnings("UnusedVariable") // Read by the parser.
    private boolean help;

    @Override
    public Integer call() {
        requirePositive("--seconds", seconds);
        requirePositive("--rounds", rounds);
        Duration time = Duration.ofSeconds(seconds);
        if (engine) {
            if (settingOptions.areGiven()) {
                throw usage("--engine uses no Redis: leave --rtt and --topology out");
            }
            if (pin) {
                throw usage("--engine has no servers to share a core with: leave --pin out");
            }
            EngineBenchmark.run(time, rounds);
            print(HeldByEngine.measure() + System.lineSeparator());
            return ExitCodes.OK;
        }
        return measure(time);
    }

    private int measure(Duration time) {
        List<Candidate> chosenCandidates =
                chosen("--candidate", candidates, Candidates.allAnd(candidates), Candidate::name, Candidate::isMeantBy);
        List<Setting> settings = settingOptions.settings();
        List<String> leftOut = new ArrayList<>(settingOptions.leftOut(chosenCandidates));
        List<Scenario> chosenScenarios = chosen(
                "--scenario",
                scenarios,
                Scenarios.all(Sizes.full(time)),
                Scenario::name,
                (scenario, name) -> scenario.name().equals(name));
        leftOut.addAll(scenariosLeftOut(chosenScenarios));
        Benchmark benchmark = new Benchmark(
                chosenScenarios.stream()
                        .filter(scenario -> scenario.objection().isEmpty())
                        .toList(),
                chosenCandidates,
                settings,
                rounds);
        @Nullable ReportDirectory directory = out == null ? null : openDirectory(out);
        if (pin) {
            pinToOneCore();
        }
        List<Outcome> outcomes;
        List<PingTimes> roundTrips;
        try (Network network = Network.of(settings);
                Progress progress = Progress.on(spec.commandLine().getErr(), "bench", benchmark.steps())) {
            roundTrips = network.measure(settingOptions.roundTrips());
            outcomes = benchmark.run(network, progress);
        }
        String markdown = Renderer.markdown(outcomes, new Conditions(rounds, seconds, roundTrips, leftOut, pin));
        print(markdown);
        if (directory != null) {
            directory.write("bench.md", markdown);
            directory.write("bench.csv", Renderer.csv(outcomes));
        }
        return exitCode(outcomes);
    }

    /** Returns the scenarios that this JVM cannot run, in sentences. */
    private List<String> scenariosLeftOut(List<Scenario> chosen) {
        List<String> sentences = chosen.stream()
                .flatMap(scenario ->
                        scenario.objection().stream().map(why -> "Left out: " + scenario.name() + " (" + why + ")."))
                .toList();
        if (sentences.size() == chosen.size()) {
            throw usage("--scenario: " + String.join(" ", sentences));
        }
        return sentences;
    }

    private void pinToOneCore() {
        try {
            OneCore.pin(ProcessHandle.current().pid());
        } catch (ToolException e) {
            throw usage("--pin: " + e.getMessage());
        }
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    private ReportDirectory openDirectory(Path directory) {
        try {
            return ReportDirectory.open(directory);
        } catch (ToolException e) {
            throw usage("--out: " + e.getMessage());
        }
    }

    private void requirePositive(String option, int value) {
        if (value < 1) {
            throw usage(option + " is " + value + ": it must be at least 1");
        }
    }

    /** Returns the items that the user names, or all if none is named. */
    private <T> List<T> chosen(
            String option,
            List<String> names,
            List<T> all,
            Function<T, String> nameOf,
            BiPredicate<T, String> isMeant) {
        for (String name : names) {
            if (all.stream().noneMatch(each -> isMeant.test(each, name))) {
                throw usage(option + ": there is no \"" + name + "\"; there are "
                        + String.join(", ", all.stream().map(nameOf).toList()));
            }
        }
        return all.stream()
                .filter(each -> names.isEmpty() || names.stream().anyMatch(name -> isMeant.test(each, name)))
                .toList();
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    static int exitCode(List<Outcome> outcomes) {
        if (outcomes.stream().anyMatch(Outcome::lostUpdates)) {
            return ExitCodes.BROKEN;
        }
        return outcomes.stream().allMatch(outcome -> outcome.problems().isEmpty()) ? ExitCodes.OK : ExitCodes.FAILED;
    }
}
