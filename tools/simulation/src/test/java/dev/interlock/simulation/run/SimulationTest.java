// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.Assumption;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The strategy keeps what must hold in each run whose assumptions hold, and the simulation finds what does not. */
class SimulationTest {
    private static final Logger ENGINE = Logger.getLogger("dev.interlock");
    private static final Setup SET_NX_PX = Setup.of("set-nx-px");

    /** For each mutant that is found, a seed that finds it. */
    private static final Map<String, Integer> FOUND = Map.ofEntries(
            Map.entry("acquire-ignores-the-holder", 2),
            Map.entry("acquire-sets-no-lease", 5),
            Map.entry("take-ignores-the-holder", 2),
            Map.entry("take-sets-no-lease", 6),
            Map.entry("release-frees-what-others-hold", 14),
            Map.entry("free-compares-nothing", 14),
            Map.entry("renew-extends-nothing", 2),
            Map.entry("hand-over-grants-without-a-lease", 6),
            Map.entry("hand-over-draws-no-token", 2),
            Map.entry("hand-over-writes-nothing", 11),
            Map.entry("hand-over-keeps-the-place", 2),
            Map.entry("draw-repeats-the-last-token", 1),
            Map.entry("draw-keeps-the-counter-for-ever", 1));

    @BeforeAll
    static void tellNobody() {
        ENGINE.setLevel(Level.OFF);
    }

    private static Series.Result run(Setup setup, Set<Assumption> dropped, long first, long count)
            throws InterruptedException {
        return Series.run(setup, dropped, first, count, Runtime.getRuntime().availableProcessors(), runs -> {});
    }

    @Test
    void aSeedRunsTheSameWayEachTime() {
        for (long seed = 1; seed <= 8; seed++) {
            Plan plan = Plan.of(seed, Set.of());
            assertThat(World.run(plan, SET_NX_PX, true))
                    .as("seed %d", seed)
                    .isEqualTo(World.run(plan, SET_NX_PX, true));
        }
    }

    @Test
    void whatIsFoundIsMadeSmallAndPlayedAgainByTheCommandThatIsPrinted() {
        String[] found = simulate("--seeds", "40", "--jobs", "1", "--mutant", "renew-extends-nothing");

        assertThat(found[0]).isEqualTo("1");
        Matcher command =
                Pattern.compile("play it again: ./interlock simulate (.*)").matcher(found[1]);
        assertThat(command.find()).isTrue();
        assertThat(command.group(1)).contains("--only ");
        String[] again = simulate(command.group(1).split(" "));
        assertThat(again[0]).isEqualTo("1");
        assertThat(found[1]).endsWith(again[1]);
    }

    @Test
    void anArgumentThatCannotBeUsedIsRefused() {
        assertThat(simulate("--strategy", "none")[0]).isEqualTo("2");
        assertThat(simulate("--without", "gravity")[0]).isEqualTo("2");
        assertThat(simulate("--mutant", "x-ray")[0]).isEqualTo("2");
        assertThat(simulate("--seeds", "0")[0]).isEqualTo("2");
    }

    /** Runs the command, and returns its exit code and what it prints. */
    private static String[] simulate(String... args) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new SimulateCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()));
        int code = Main.run(command, args);
        return new String[] {Integer.toString(code), out.toString().replaceFirst("(?s).*?seed \\d+: [^\n]*", "")};
    }

    @Test
    @Tag("deep")
    void whatMustHoldHoldsInManySeeds() throws InterruptedException {
        Series.Result result = run(SET_NX_PX, Set.of(), 1, 2_000);
        assertThat(result.found()).isEmpty();
        assertThat(result.runs()).isEqualTo(2_000);
        assertThat(result.toothless(Set.of())).isEmpty();
    }

    @Test
    @Tag("nightly")
    void whatMustHoldHoldsInVeryManySeeds() throws InterruptedException {
        assertThat(run(SET_NX_PX, Set.of(), 1_000_000, 50_000).found()).isEmpty();
    }

    @Test
    @Tag("deep")
    void eachAssumptionThatIsDroppedLetsAViolationBeFound() throws InterruptedException {
        for (Assumption assumption : new SetNxPxStrategyProvider().profile().assumptions()) {
            assertThat(run(SET_NX_PX, Set.of(assumption), 1, 200).found())
                    .as("without %s", assumption)
                    .isPresent();
        }
    }

    @Test
    @Tag("deep")
    void mutantsOfTheScriptsAreFound() {
        Map<String, Mutant> all = new TreeMap<>();
        Mutant.ALL.forEach(mutant -> all.put(mutant.name(), mutant));
        assertThat(all.keySet()).containsAll(FOUND.keySet());
        FOUND.forEach((name, seed) -> assertThat(
                        World.run(Plan.of(seed, Set.of()), new Setup(SET_NX_PX.strategy(), all.get(name)), false)
                                .violation())
                .as("%s with seed %d", name, seed)
                .isPresent());
    }
}
