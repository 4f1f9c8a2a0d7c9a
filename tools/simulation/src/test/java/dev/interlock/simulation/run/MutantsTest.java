// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.server.RealScripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The deliberate errors: each changes something, and the seeds that docs/proof.md names find those that can be found.
 */
class MutantsTest {
    /** For each mutant that is found, a seed that finds it. */
    private static final Map<String, Map<String, Integer>> FOUND = Map.of(
            "set-nx-px",
            Map.ofEntries(
                    Map.entry("draw-forgets-what-it-drew", 136),
                    Map.entry("acquire-promises-a-late-end", 200),
                    Map.entry("signal-wakes-nobody", 8),
                    Map.entry("signal-wakes-all", 8),
                    Map.entry("signal-all-wakes-one", 8),
                    Map.entry("signalled-keeps-its-place", 8),
                    Map.entry("signalled-leaves-no-record", 1016),
                    Map.entry("signalled-stands-in-no-queue", 8),
                    Map.entry("signalled-leaves-a-record-for-ever", 120),
                    Map.entry("pass-on-wakes-nobody", 1016),
                    Map.entry("pending-is-nobody-who-waits", 168),
                    Map.entry("pending-is-nobody-who-holds", 72),
                    Map.entry("await-keeps-the-lock", 8),
                    Map.entry("await-enters-nobody", 8),
                    Map.entry("await-enters-for-ever", 1720),
                    Map.entry("look-passes-nothing-on", 2968),
                    Map.entry("look-knows-nobody-who-waits", 8),
                    Map.entry("leave-keeps-the-place", 8),
                    Map.entry("leave-takes-the-signal-along", 72),
                    Map.entry("leave-always-passes-on", 2184),
                    Map.entry("adopt-keeps-the-record", 616),
                    Map.entry("release-keeps-the-record", 8),
                    Map.entry("acquire-ignores-the-holder", 2),
                    Map.entry("acquire-sets-no-lease", 5),
                    Map.entry("acquire-keeps-its-place", 65),
                    Map.entry("acquire-marks-no-word", 54),
                    Map.entry("take-ignores-the-holder", 2),
                    Map.entry("take-sets-no-lease", 6),
                    Map.entry("release-frees-what-others-hold", 14),
                    Map.entry("release-keeps-what-is-marked", 11),
                    Map.entry("release-frees-nothing", 60),
                    Map.entry("release-hands-nothing-over", 11),
                    Map.entry("free-compares-nothing", 14),
                    Map.entry("renew-takes-any-holder-for-its-own", 1079),
                    Map.entry("renew-extends-nothing", 2),
                    Map.entry("renew-knows-no-mark", 41),
                    Map.entry("hand-over-grants-without-a-lease", 6),
                    Map.entry("hand-over-draws-no-token", 2),
                    Map.entry("hand-over-writes-nothing", 11),
                    Map.entry("hand-over-keeps-the-place", 2),
                    Map.entry("hand-over-tells-nobody", 11),
                    Map.entry("draw-repeats-the-last-token", 1),
                    Map.entry("draw-keeps-the-counter-for-ever", 1),
                    Map.entry("acquire-draws-no-token", 2),
                    Map.entry("acquire-takes-the-holder-for-itself", 2),
                    Map.entry("acquire-enters-nobody", 11),
                    Map.entry("take-halves-the-lease", 6),
                    Map.entry("take-hides-its-success", 26),
                    Map.entry("take-draws-in-advance", 1),
                    Map.entry("renew-loses-what-is-held", 11),
                    Map.entry("renew-frees", 2),
                    Map.entry("free-frees-nothing", 11),
                    Map.entry("release-keeps-the-place", 11),
                    Map.entry("release-says-it-was-lost", 11),
                    Map.entry("hand-over-grants-for-an-hour", 6),
                    Map.entry("hand-over-halves-the-lease", 6),
                    Map.entry("hand-over-proves-nothing", 11),
                    Map.entry("hand-over-drops-those-who-are-there", 11),
                    Map.entry("draw-counts-down", 1),
                    Map.entry("read-ignores-the-writer", 51),
                    Map.entry("read-waits-for-nobody", 35),
                    Map.entry("write-ignores-readers", 3),
                    Map.entry("write-draws-no-token", 3),
                    Map.entry("reader-stays-when-it-unlocks", 3),
                    Map.entry("renew-extends-no-reader", 83),
                    Map.entry("readers-have-no-end", 67),
                    Map.entry("admit-tells-nobody", 3),
                    Map.entry("admit-lets-in-nobody", 3),
                    Map.entry("promote-tells-nobody", 3),
                    Map.entry("together-ignores-the-holder", 13),
                    Map.entry("together-takes-the-first-only", 13),
                    Map.entry("together-sets-no-lease", 93),
                    Map.entry("together-draws-no-token", 13)),
            "setnx-getset",
            Map.ofEntries(
                    Map.entry("setnx-ignores-the-holder", 2),
                    Map.entry("setnx-writes-nothing", 2),
                    Map.entry("setnx-never-succeeds", 1),
                    Map.entry("setnx-ends-early", 2),
                    Map.entry("setnx-ends-late", 1),
                    Map.entry("watch-watches-nothing", 2553),
                    Map.entry("watch-of-several-deletes-the-last", 232),
                    Map.entry("getset-writes-nothing", 2),
                    Map.entry("getset-deletes", 2),
                    Map.entry("getset-ends-early", 2),
                    Map.entry("getset-ends-late", 1),
                    Map.entry("del-deletes-nothing", 11),
                    Map.entry("get-finds-nothing", 1),
                    Map.entry("get-finds-what-has-passed", 2),
                    Map.entry("exec-executes-nothing", 2),
                    Map.entry("script-deletes-instead", 25)),
            "redlock",
            Map.ofEntries(
                    Map.entry("take-ignores-the-holder", 2),
                    Map.entry("take-writes-over-the-holder", 2),
                    Map.entry("take-writes-nothing", 2),
                    Map.entry("take-sets-no-lease", 1),
                    Map.entry("take-draws-no-token", 1),
                    Map.entry("take-replaces-any-holder-after-a-grant", 20),
                    Map.entry("release-frees-nothing", 11),
                    Map.entry("release-frees-whatever-it-finds", 20),
                    Map.entry("release-sees-nobody-who-waits", 11),
                    Map.entry("release-grants-nobody", 11),
                    Map.entry("renew-extends-nothing", 2),
                    Map.entry("renew-loses-what-is-held", 11),
                    Map.entry("vote-looks-at-no-birth-record", 10),
                    Map.entry("vote-lets-in-whoever-trusts", 13),
                    Map.entry("release-frees-what-others-hold", 20),
                    Map.entry("grant-sets-no-lease", 11),
                    Map.entry("grant-writes-nothing", 11),
                    Map.entry("grant-keeps-the-place", 11),
                    Map.entry("grant-tells-nobody", 11),
                    Map.entry("pass-repeats-the-token", 2),
                    Map.entry("hop-writes-nothing", 14),
                    Map.entry("hop-keeps-the-place", 14),
                    Map.entry("leave-keeps-the-place", 11),
                    Map.entry("ask-enters-nobody", 11),
                    Map.entry("enrol-is-born-old", 10),
                    Map.entry("enrol-keeps-the-record-of-another-process", 490),
                    Map.entry("enrol-changes-no-state", 10),
                    Map.entry("enrol-takes-any-list", 22)));

    private static final List<List<String>> COMMANDS = List.of(
            List.of("SETNX", "lock.a", "1763715031.25"),
            List.of("GETSET", "lock.a", "1763715031.25"),
            List.of("GET", "lock.a"),
            List.of("DEL", "lock.a"),
            List.of("WATCH", "lock.a"),
            List.of("WATCH", "lock.a", "lock.b"),
            List.of("EXEC"));

    @Test
    void eachMutantChangesAScriptOrACommand() throws ReflectiveOperationException {
        Map<String, String> scripts = RealScripts.all();
        for (Strategies.Strategy strategy : Strategies.ALL.values()) {
            for (Mutant mutant : strategy.mutants()) {
                boolean changesAScript = scripts.values().stream()
                        .anyMatch(source -> !mutant.script(source).equals(source));
                boolean changesACommand = COMMANDS.stream()
                        .anyMatch(words -> !mutant.command(words).equals(words));
                assertThat(changesAScript || changesACommand).as(mutant.name()).isTrue();
            }
        }
    }

    @Test
    void thePageHasEachMutantOnceAndCountsThem() throws IOException {
        String page = Files.readString(Path.of("../../docs/proof.md"));
        String section = page.substring(page.indexOf("## Mutants"), page.indexOf("## Mutants of Java code"));
        List<String> rows =
                section.lines().filter(line -> line.startsWith("| `")).toList();
        List<String> named = rows.stream()
                .flatMap(row -> Pattern.compile("`([^`]+)`")
                        .matcher(row.split("\\|")[1])
                        .results())
                .map(name -> name.group(1))
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(Strategies.ALL.values().stream()
                        .flatMap(strategy -> strategy.mutants().stream().map(Mutant::name))
                        .toList());

        // Those that are found stand in the tables with a seed, one a row.
        Map<String, Integer> found = new TreeMap<>();
        for (String part : section.split("\nOf ")) {
            if (part.contains("| mutant | seed |")) {
                found.put(part.substring(1, part.indexOf('`', 1)), (int)
                        part.lines().filter(line -> line.startsWith("| `")).count());
            }
        }
        assertThat(section.replaceAll("\\s+", " "))
                .contains("There are " + (count("set-nx-px") + count("setnx-getset"))
                        + " of `set-nx-px` and `setnx-getset`, of which "
                        + (found.get("set-nx-px") + found.get("setnx-getset")) + " are found, and " + count("redlock")
                        + " of `redlock`, of which " + found.get("redlock") + " are found.");
    }

    private static int count(String strategy) {
        return Setup.of(strategy).strategy().mutants().size();
    }

    /** The majorities of two clients that go by different lists need share no server. */
    @Test
    @Tag("deep")
    void aClientThatIgnoresAChangeOfTheListIsFound() {
        Setup setup = Setup.of("redlock");
        Mutant ignorant = setup.strategy().mutants().stream()
                .filter(mutant -> mutant.name().equals("vote-looks-at-no-birth-record"))
                .findFirst()
                .orElseThrow();
        Plan plan = Plan.of(5766, setup.profile(), Set.of());
        assertThat(plan.change()).isPresent();
        assertThat(World.run(plan, setup.with(ignorant), false).violation()).isPresent();
        assertThat(World.run(plan, setup, false).violation()).isEmpty();
    }

    @Test
    void signalsThatWakeNobodyOrAllAreFound() {
        Setup setup = Setup.of("set-nx-px");
        Map<String, String> found = Map.of(
                "signal-wakes-nobody", "which nobody holds",
                "signal-wakes-all", "no signal was for it",
                "await-keeps-the-lock", "which nobody holds");
        found.forEach((name, violation) -> {
            Mutant mutant = setup.strategy().mutants().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            assertThat(World.run(Plan.of(8, setup.profile(), Set.of()), setup.with(mutant), false)
                            .violation()
                            .orElse(""))
                    .as(name)
                    .endsWith(violation);
        });
    }

    @Test
    void aReaderBesideAWriterAndAPartOfSeveralNamesAreFound() {
        Setup setup = Setup.of("set-nx-px");
        Map<String, Integer> seeds = Map.of(
                "write-ignores-readers", 3,
                "admit-tells-nobody", 3,
                "promote-tells-nobody", 3,
                "together-takes-the-first-only", 13);
        Map<String, String> found = Map.of(
                "write-ignores-readers", "hold \"r\" with a valid lease",
                "admit-tells-nobody", "which nobody holds",
                "promote-tells-nobody", "which nobody holds",
                "together-takes-the-first-only", "on the server");
        found.forEach((name, violation) -> {
            Mutant mutant = setup.strategy().mutants().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            Plan plan = Plan.of(seeds.getOrDefault(name, 0), setup.profile(), Set.of());
            assertThat(World.run(plan, setup.with(mutant), false).violation().orElse(""))
                    .as(name)
                    .endsWith(violation);
        });
    }

    @Test
    @Tag("deep")
    void aWaiterThatIsOvertakenAndLosesItsPlaceIsFound() {
        Setup setup = Setup.of(Strategies.ALL.get("redlock"), Map.of("cold-start", "trust"));
        Mutant losing = setup.strategy().mutants().stream()
                .filter(mutant -> mutant.name().equals("stand-back-enters-nobody"))
                .findFirst()
                .orElseThrow();
        Plan plan = Plan.of(810, setup.profile(), Set.of());
        assertThat(World.run(plan, setup.with(losing), false).violation()).isPresent();
    }

    @Test
    @Tag("deep")
    void mutantsAreFound() {
        FOUND.forEach((strategy, seeds) -> {
            Setup setup = Setup.of(strategy);
            Map<String, Mutant> all = setup.strategy().mutants().stream()
                    .collect(Collectors.toMap(Mutant::name, Function.identity(), (one, other) -> one, TreeMap::new));
            assertThat(all.keySet()).containsAll(seeds.keySet());
            seeds.forEach((name, seed) -> assertThat(
                            World.run(Plan.of(seed, setup.profile(), Set.of()), setup.with(all.get(name)), false)
                                    .violation())
                    .as("%s with seed %d", name, seed)
                    .isPresent());
        });
    }
}
