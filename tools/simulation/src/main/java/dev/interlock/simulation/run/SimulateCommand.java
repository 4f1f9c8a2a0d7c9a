// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.mutants.code.CodeMutant;
import dev.interlock.simulation.mutants.code.CodeMutants;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.server.ScriptCoverage;
import dev.interlock.spi.Assumption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs seeds of the simulation, and shows the results. */
@Command(
        name = "interlock simulate",
        description = {
            "Runs the real engine and the real scripts of a strategy on one virtual clock, against simulated servers, with"
                    + " faults that a seed chooses. See docs/proof.md.",
            "The plan of a seed that shows a violation is made as small as possible. Its trace is printed with the"
                    + " command that plays it again."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:no violation was found, and each fault had an effect; or all mutants were run",
            "1:a violation was found, or a fault never had an effect",
            "2:an argument cannot be used",
            "3:the simulation itself has failed"
        })
final class SimulateCommand implements Callable<Integer> {
    private static final String NO_MUTANT = "none";
    private static final String LIST = "?";
    private static final String ALL = "all";

    /** Kept in a field: a logger without a reference may be collected, and its level with it. */
    private static final Logger ENGINE = Logger.getLogger("dev.interlock");

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            defaultValue = "set-nx-px",
            description = "the strategy: set-nx-px, setnx-getset, or redlock, which has three servers or five")
    private String strategy = "";

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description = "an option of the strategy, such as clock=server for setnx-getset; may be repeated")
    private Map<String, String> options = new TreeMap<>();

    @Option(names = "--seeds", paramLabel = "COUNT", defaultValue = "1000", description = "how many seeds to run")
    private long seeds;

    @Option(names = "--seed", paramLabel = "SEED", defaultValue = "1", description = "the first seed")
    private long seed;

    @Option(
            names = "--without",
            paramLabel = "ASSUMPTION",
            split = ",",
            description =
                    "assumptions of the strategy that do not hold, such as no-failover: a violation is expected then")
    private List<String> without = new ArrayList<>();

    @Option(
            names = "--mutant",
            paramLabel = "NAME",
            defaultValue = NO_MUTANT,
            description =
                    "a deliberate error in the scripts, the commands or the Java code of the strategy, which must be found;"
                            + " ? lists them, all runs each, and prints the first seed that finds it, and after which time")
    private String mutant = "";

    @Option(
            names = "--only",
            paramLabel = "NUMBER",
            split = ",",
            description = "only these steps of the plan of the seed")
    private Set<Integer> only = new TreeSet<>();

    @Option(
            names = "--coverage",
            description = "also prints the lines of the scripts that no seed has run, and the outcomes of their"
                    + " conditions that none has had, which takes more time")
    private boolean covering;

    @Option(names = "--trace", description = "prints the trace of the seed, whatever comes of it")
    private boolean trace;

    @Option(
            names = "--jobs",
            paramLabel = "COUNT",
            description = "how many seeds to run at once; as many as there are processors unless set")
    private int jobs = Runtime.getRuntime().availableProcessors();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "shows this help")
    @SuppressWarnings("UnusedVariable") // Read by the parser.
    private boolean help;

    @Override
    public Integer call() throws InterruptedException {
        ENGINE.setLevel(Level.OFF);
        Setup setup = setup();
        if (mutant.equals(LIST)) {
            setup.strategy().mutants().forEach(one -> out().println(one.name()));
            CodeMutants.of(strategy).forEach(one -> out().println(one.name()));
            return 0;
        }
        Set<Assumption> dropped = dropped(setup);
        boolean playsOne = trace || !only.isEmpty();
        if (!playsOne && (seeds < 1 || jobs < 1)) {
            throw new ParameterException(spec.commandLine(), "--seeds and --jobs must be 1 at least");
        }
        Optional<CodeMutant> ofCode = CodeMutants.find(strategy, mutant);
        if (ofCode.isPresent() && CodeMutants.loaded().isEmpty()) {
            return runWith(ofCode.get());
        }
        if (playsOne) {
            Plan plan = Plan.of(seed, setup.profile(), dropped);
            return play(only.isEmpty() ? plan : plan.only(only), setup) ? 1 : 0;
        }
        if (mutant.equals(ALL)) {
            return eachMutant(setup, dropped);
        }
        if (!covering) {
            return series(setup, dropped);
        }
        ScriptCoverage coverage = new ScriptCoverage();
        int code = series(setup.with(coverage), dropped);
        show(coverage.of(setup.scripts()));
        return code;
    }

    /** Runs this command with its arguments in a simulation that is loaded with a mutant. */
    private int runWith(CodeMutant code) {
        return CodeMutants.run(
                code,
                Main.class,
                out(),
                err(),
                spec.commandLine().getParseResult().originalArgs());
    }

    private int eachMutant(Setup setup, Set<Assumption> dropped) throws InterruptedException {
        Optional<String> loaded = CodeMutants.loaded();
        if (loaded.isPresent()) {
            return eachMutant(List.of(Mutant.ofCode(loaded.get())), setup, dropped);
        }
        int code = eachMutant(setup.strategy().mutants(), setup, dropped);
        for (CodeMutant one : CodeMutants.of(strategy)) {
            code = Math.max(code, runWith(one));
        }
        return code;
    }

    private int eachMutant(List<Mutant> mutants, Setup setup, Set<Assumption> dropped) throws InterruptedException {
        for (Mutant one : mutants) {
            long begun = System.nanoTime();
            Series.Result result = Series.run(setup.with(one), dropped, seed, seeds, jobs, runs -> {});
            double seconds = (System.nanoTime() - begun) / 1e9;
            out().println(one.name() + ": "
                    + result.found()
                            .map(found -> String.format(
                                    Locale.ROOT, "seed %d after %.1f s: %s", found.seed(), seconds, found.violation()))
                            .orElse("not found by " + result.runs() + " seeds from " + seed));
            out().flush();
        }
        return 0;
    }

    private int series(Setup setup, Set<Assumption> dropped) throws InterruptedException {
        long begun = System.nanoTime();
        Series.Result result;
        try (SeedProgress progress = SeedProgress.on(err(), seeds)) {
            result = Series.run(setup, dropped, seed, seeds, jobs, runs -> progress.ran());
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        out().printf(
                        Locale.ROOT,
                        "%s: %d seeds from %d, %d grants, %.0f s, %.0f seeds/s%n",
                        strategy,
                        result.runs(),
                        seed,
                        result.grants(),
                        seconds,
                        result.runs() / seconds);
        out().println("faults that had an effect: "
                + result.effects().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")));
        if (result.found().isPresent()) {
            Series.Found found = result.found().get();
            out().println("seed " + found.seed() + ": " + found.violation());
            if (found.stuck()) {
                out().println("not made smaller: a run in which a thread goes on without end takes a minute");
                out().println(again(found.seed(), setup) + " --seeds 1");
            } else {
                play(new Shrinker(setup).shrink(Plan.of(found.seed(), setup.profile(), dropped)), setup);
            }
            return 1;
        }
        List<String> withoutEffect = result.withoutEffect(setup, dropped);
        if (!withoutEffect.isEmpty()) {
            out().println("faults that never had an effect: " + String.join(", ", withoutEffect));
            return 1;
        }
        return 0;
    }

    private void show(Map<String, ScriptCoverage.Report> reports) {
        int count =
                reports.values().stream().mapToInt(ScriptCoverage.Report::count).sum();
        int missed = reports.values().stream()
                .mapToInt(report -> report.missed().size())
                .sum();
        int outcomes = reports.values().stream()
                .mapToInt(ScriptCoverage.Report::outcomes)
                .sum();
        int unmet = reports.values().stream()
                .mapToInt(report -> report.unmet().size())
                .sum();
        out().printf(Locale.ROOT, "%d of %d lines of the scripts have run%n", count - missed, count);
        out().printf(Locale.ROOT, "%d of %d outcomes of their conditions were seen%n", outcomes - unmet, outcomes);
        reports.forEach((name, report) -> {
            if (!report.missed().isEmpty()) {
                out().println("not run: " + name + " "
                        + report.missed().stream().map(String::valueOf).collect(Collectors.joining(", ")));
            }
            report.unmet().forEach(outcome -> out().println("not seen: " + name + " " + outcome));
        });
    }

    /** Prints the trace of a plan, and returns whether it shows a violation. */
    private boolean play(Plan plan, Setup setup) {
        RunOutcome outcome = World.run(plan, setup, true);
        out().println();
        plan.steps().forEach(step -> out().println("step " + step.number() + ": " + step));
        out().println();
        outcome.trace().forEach(out()::println);
        out().println();
        out().println(outcome.violation().map(what -> "violation: " + what).orElse("no violation"));
        out().println(again(plan.seed(), setup)
                + " --only "
                + plan.steps().stream()
                        .map(step -> Integer.toString(step.number()))
                        .collect(Collectors.joining(",")));
        return outcome.violation().isPresent();
    }

    private String again(long seed, Setup setup) {
        return "play it again: ./interlock simulate --strategy " + strategy
                + options.entrySet().stream()
                        .map(entry -> " --option " + entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining())
                + " --seed " + seed
                + (without.isEmpty() ? "" : " --without " + String.join(",", without))
                + (setup.mutant().equals(Mutant.NONE)
                        ? ""
                        : " --mutant " + setup.mutant().name());
    }

    private Setup setup() {
        Strategies.Strategy chosen = Strategies.ALL.get(strategy);
        if (chosen == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "\"" + strategy + "\" cannot be simulated: --strategy takes "
                            + String.join(", ", Strategies.ALL.keySet()));
        }
        Setup setup;
        try {
            setup = Setup.of(chosen, options);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (Set.of(NO_MUTANT, LIST, ALL).contains(mutant)) {
            return setup;
        }
        return CodeMutants.find(strategy, mutant)
                .map(one -> Mutant.ofCode(one.name()))
                .or(() -> chosen.mutants().stream()
                        .filter(one -> one.name().equals(mutant))
                        .findFirst())
                .map(setup::with)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), "there is no mutant \"" + mutant + "\": --mutant ? lists them"));
    }

    private Set<Assumption> dropped(Setup setup) {
        Set<Assumption> dropped = EnumSet.noneOf(Assumption.class);
        for (String name : without) {
            try {
                dropped.add(Assumption.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there is no assumption \"" + name + "\": ./interlock strategies shows those of each strategy",
                        e);
            }
        }
        if (!setup.profile().assumptions().containsAll(dropped)) {
            throw new ParameterException(
                    spec.commandLine(),
                    strategy + " makes other assumptions: "
                            + setup.profile().assumptions().stream()
                                    .map(one ->
                                            one.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                                    .collect(Collectors.joining(", ")));
        }
        return dropped;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
