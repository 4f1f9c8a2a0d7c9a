// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.plan.FaultKind;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.plan.Step;
import dev.interlock.simulation.server.ScriptCoverage;
import dev.interlock.spi.Assumption;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The strategy keeps what must hold in each run whose assumptions hold, and the simulation finds what does not. */
class SimulationTest {
    private static final Logger ENGINE = Logger.getLogger("dev.interlock");
    private static final Setup SET_NX_PX = Setup.of("set-nx-px");
    private static final Setup SETNX_GETSET = Setup.of("setnx-getset");
    private static final Setup REDLOCK = Setup.of("redlock");
    private static final Setup TRUSTING = Setup.of(Strategies.ALL.get("redlock"), Map.of("cold-start", "trust"));

    @BeforeAll
    static void tellNobody() {
        ENGINE.setLevel(Level.OFF);
    }

    private static Series.Result run(Setup setup, Set<Assumption> dropped, long first, long count)
            throws InterruptedException {
        return Series.run(setup, dropped, first, count, Runtime.getRuntime().availableProcessors(), runs -> {});
    }

    private static RunOutcome run(Setup setup, Set<Assumption> dropped, long seed) {
        return World.run(Plan.of(seed, setup.profile(), dropped), setup, true);
    }

    @Test
    void aSeedRunsTheSameWayEachTime() {
        for (Setup setup : List.of(SET_NX_PX, SETNX_GETSET, REDLOCK)) {
            for (long seed = 1; seed <= 8; seed++) {
                assertThat(run(setup, Set.of(), seed)).as("seed %d", seed).isEqualTo(run(setup, Set.of(), seed));
            }
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

    /** Each smaller plan would take minutes more, and leave one more thread that uses a processor. */
    @Test
    @Tag("nightly")
    void aRunInWhichAThreadGoesOnWithoutEndIsNotMadeSmaller() {
        String[] found = simulate("--seeds", "1", "--jobs", "1", "--mutant", "queue-loses-a-waiter");

        assertThat(found[0]).isEqualTo("1");
        assertThat(found[1])
                .contains("not made smaller")
                .endsWith("play it again: ./interlock simulate --strategy set-nx-px --seed 1"
                        + " --mutant queue-loses-a-waiter --seeds 1\n");
    }

    @Test
    void anArgumentThatCannotBeUsedIsRefused() {
        assertThat(simulate("--strategy", "none")[0]).isEqualTo("2");
        assertThat(simulate("--without", "gravity")[0]).isEqualTo("2");
        assertThat(simulate("--strategy", "setnx-getset", "--without", "server-clock-steady")[0])
                .isEqualTo("2");
        assertThat(simulate("--strategy", "setnx-getset", "--option", "clock=sundial")[0])
                .isEqualTo("2");
        assertThat(simulate("--mutant", "x-ray")[0]).isEqualTo("2");
        assertThat(simulate("--strategy", "setnx-getset", "--mutant", "take-sets-no-lease")[0])
                .isEqualTo("2");
        assertThat(simulate("--seeds", "0")[0]).isEqualTo("2");
    }

    @Test
    @Tag("deep")
    void eachMutantIsRunAndTheFirstSeedThatFindsItIsPrinted() {
        String[] run = simulate("--strategy", "setnx-getset", "--seeds", "2", "--jobs", "1", "--mutant", "all");

        assertThat(run[0]).isEqualTo("0");
        assertThat(run[1])
                .containsPattern("setnx-never-succeeds: seed 1 after \\d+\\.\\d s: ")
                .contains("setnx-hides-its-success: not found by 2 seeds from 1");
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

    /** Its thread is interrupted as it asks, and asks for the same lock again in the same nanosecond. */
    @Test
    void whoAsksTwiceAtOnceIsNotTakenForOneWhoStillWaits() {
        assertThat(run(SET_NX_PX, Set.of(), 550_167).violation()).isEmpty();
    }

    /** It is told so by its lease, and does not take the lock afresh by way of a second entry. */
    @Test
    void whoHasLostTheLockBeforeItsAcquisitionReturnsGivesBackOneHoldAlone() {
        assertThat(run(SET_NX_PX, Set.of(), 604_413).violation()).isEmpty();
    }

    /** A token that was drawn by a clock 5 s ahead is greater than the next one, if most servers have lost it. */
    @ParameterizedTest
    @ValueSource(longs = {3_203, 8_004})
    void clocksAgreeWhereMostServersLoseTheirCounters(long seed) {
        assertThat(run(REDLOCK, Set.of(), seed).violation()).isEmpty();
    }

    /** The lease is renewed while its holder gives it back, and one server has not answered the renewal yet. */
    @Test
    void aKeyIsNotRestoredBehindTheReleaseOfItsLock() {
        assertThat(run(REDLOCK, Set.of(), 114_530).violation()).isEmpty();
    }

    /** A client that was passed the lock has a lease of its own, and the keys may be those of a longer one. */
    @ParameterizedTest
    @ValueSource(longs = {9_373, 11_694, 107_166})
    void aLeaseThatWasPassedOnMayEndBeforeItsKeys(long seed) {
        assertThat(run(REDLOCK, Set.of(), seed).violation()).isEmpty();
    }

    /** A part that is given up with the whole is not what the caller of {@code ensureValid} is told of. */
    @ParameterizedTest
    @ValueSource(longs = {143_773, 162_013, 717_501})
    void whoseLeaseOfSeveralNamesEndsWhileItIsEnsuredIsToldOfALoss(long seed) {
        assertThat(run(SET_NX_PX, Set.of(), seed).violation()).isEmpty();
    }

    /** The waiter asks 95 ms after that, and 103 ms after the end that the holder has seen. */
    @Test
    void aLeaseThatIsOverForItsHolderKeepsWaitersOutUntilItIsOverForTheServer() {
        assertThat(run(SET_NX_PX, Set.of(), 157_896).violation()).isEmpty();
    }

    @Test
    void whatMustHoldHoldsForAMajorityOfServersInAFewSeeds() throws InterruptedException {
        Series.Result result = run(REDLOCK, Set.of(), 1, 24);
        assertThat(result.found()).isEmpty();
        assertThat(result.effects()).containsKeys("restart-empty", "request-lost", "delay");
    }

    @Test
    void whatMustHoldHoldsWhileTheListOfServersChanges() {
        for (long seed : new long[] {6, 15, 22, 31}) {
            RunOutcome outcome = run(REDLOCK, Set.of(), seed);
            assertThat(outcome.violation()).as("seed %d", seed).isEmpty();
            assertThat(outcome.effects()).as("seed %d", seed).containsKey("nodes-changed");
        }
    }

    /** Two servers of three have lost their data before a client comes with the list of these two. */
    @Test
    void aListThatWasFoundedBeforeTheOperatorsCommandReachesClientsOfTheOldOne() {
        RunOutcome outcome = run(REDLOCK, Set.of(), 1766);
        assertThat(outcome.violation()).isEmpty();
        assertThat(outcome.effects()).containsKeys("nodes-changed", "restart-empty");
    }

    /** Two servers of three have lost their data, and the third is gone: only a client that runs has the list. */
    @Test
    void aListThatNoServerHasIsChangedOnceAClientHasAsked() {
        RunOutcome outcome = run(REDLOCK, Set.of(), 3734);
        assertThat(outcome.violation()).isEmpty();
        assertThat(outcome.effects()).containsKeys("nodes-changed", "server-lost");
    }

    /** Two clients write the same number within a second. A repeated release freed the other one's lock. */
    @Test
    void whatMustHoldHoldsForLocksThatAreWholeNumbers() {
        Setup setup = Setup.of(Strategies.ALL.get("setnx-getset"), Map.of("fraction", "false"));
        assertThat(run(setup, Set.of(), 2294).violation())
                .as("no reply to a release")
                .isEmpty();
        assertThat(run(setup, Set.of(), 3030).violation()).as("a lost lease").isEmpty();
    }

    @Test
    void eachSignalOfAConditionWakesOneWhoWaits() {
        for (long seed = 8; seed <= 120; seed += 16) {
            Plan plan = Plan.of(seed, SET_NX_PX.profile(), Set.of());
            assertThat(plan.waits()).as("seed %d", seed).isNotEmpty();
            assertThat(plan.isFaultless()).as("seed %d", seed).isEqualTo(seed % 32 == 8);
            assertThat(World.run(plan, SET_NX_PX, false).violation())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void readersMeetNoWriterAndWhoeverHasSeveralNamesHasAll() {
        Map<String, Integer> effects = new TreeMap<>();
        for (long place : new long[] {3, 13}) {
            for (long seed = place; seed <= 64; seed += 16) {
                Plan plan = Plan.of(seed, SET_NX_PX.profile(), Set.of());
                assertThat(plan.hasSides()).as("seed %d", seed).isEqualTo(place == 3);
                assertThat(plan.hasSeveral()).as("seed %d", seed).isEqualTo(place == 13);
                assertThat(plan.isFaultless()).as("seed %d", seed).isEqualTo(seed % 32 == place);
                RunOutcome outcome = World.run(plan, SET_NX_PX, false);
                assertThat(outcome.violation()).as("seed %d", seed).isEmpty();
                outcome.effects().forEach((effect, times) -> effects.merge(effect, times, Integer::sum));
            }
        }
        assertThat(effects).as("readers are in at the same time").containsKey("read-together");
    }

    @Test
    void onlySomeSeedsShareLocksOrTakeSeveral() {
        for (long seed = 1; seed <= 64; seed++) {
            Plan plan = Plan.of(seed, SET_NX_PX.profile(), Set.of());
            assertThat(plan.hasSides()).as("seed %d", seed).isEqualTo(seed % 16 == 3);
            assertThat(plan.hasSeveral()).as("seed %d", seed).isEqualTo(seed % 16 == 13);
            for (Setup other : List.of(SETNX_GETSET, REDLOCK)) {
                Plan without = Plan.of(seed, other.profile(), Set.of());
                assertThat(without.hasSides() || without.hasSeveral()).isFalse();
            }
        }
    }

    /** The grant of the first is over, since its client stood still. */
    @Test
    void twoWaitersOfAClientThatWereBothGrantedTheLockDoNotGiveWayToEachOtherForEver() {
        for (long seed : new long[] {17_208, 17_912}) {
            assertThat(run(SET_NX_PX, Set.of(), seed).violation())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void aSignalIsPassedOnIfItsWaiterDiesWithALockThatAThreadOfItsClientHasHandedToIt() {
        long milli = 1_000_000;
        List<Step> steps = new ArrayList<>(List.of(
                new Step.Await(
                        0, 0, 0, Step.Waiting.INTERRUPTIBLY, "a", "", 0, 100 * milli, 400 * milli, 1000, true, false),
                new Step.Await(
                        1, 1, 0, Step.Waiting.INTERRUPTIBLY, "a", "", 2 * milli, 0, 10 * milli, 1000, true, false),
                new Step.Signal(2, 0, 1, false, "a", "", 30 * milli, 150 * milli, 1000, true),
                new Step.Fault(3, FaultKind.CRASH, 0, 400 * milli, 500 * milli, 0)));
        // Threads of the client that want the lock too, so that it is handed on within the client.
        for (int worker = 2; worker < 6; worker++) {
            for (int i = 0; i < 8; i++) {
                steps.add(new Step.Work(
                        steps.size(),
                        0,
                        worker,
                        Step.Ask.LOCK,
                        "a",
                        i == 0 ? 15 * milli : 0,
                        2 * milli,
                        0,
                        1000,
                        true,
                        false));
            }
        }
        Plan plan = new Plan(1, Set.of(), 2, steps);
        RunOutcome outcome = World.run(plan, SET_NX_PX, false);
        assertThat(outcome.violation()).isEmpty();
        assertThat(outcome.effects()).containsKey("signal-passed-on");
        Mutant tooSoon = SET_NX_PX.strategy().mutants().stream()
                .filter(mutant -> mutant.name().equals("adopt-confirms-at-once"))
                .findFirst()
                .orElseThrow();
        assertThat(World.run(plan, SET_NX_PX.with(tooSoon), false).violation())
                .contains("whoever client-0/1 has signalled (1) waits still: [client-1/0]");
    }

    @Test
    void onlySomeSeedsWaitForConditions() {
        for (long seed = 1; seed <= 64; seed++) {
            assertThat(Plan.of(seed, SET_NX_PX.profile(), Set.of()).waits().isEmpty())
                    .as("seed %d", seed)
                    .isEqualTo(seed % 16 != 8);
            assertThat(Plan.of(seed, SETNX_GETSET.profile(), Set.of()).waits()).isEmpty();
            assertThat(Plan.of(seed, SET_NX_PX.profile(), Set.of(Assumption.NO_EVICTION))
                            .waits())
                    .isEmpty();
        }
    }

    @Test
    void aClientThatTrustsServersWhichOthersWatchGetsNoLock() {
        for (long seed : new long[] {13, 29}) {
            RunOutcome outcome = run(REDLOCK, Set.of(), seed);
            assertThat(outcome.violation()).as("seed %d", seed).isEmpty();
            assertThat(outcome.effects()).as("seed %d", seed).containsKey("trust-refused");
        }
    }

    /** In these seeds, somebody gets a majority without the lead, which has just granted the lock to a waiter. */
    @Test
    void whoeverIsOvertakenIsWokenByTheNextRelease() {
        for (long seed : new long[] {185, 810}) {
            assertThat(run(TRUSTING, Set.of(), seed).violation())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void theLinesOfScriptsThatRunAreNoted() throws InterruptedException {
        ScriptCoverage coverage = new ScriptCoverage();
        run(REDLOCK.with(coverage), Set.of(), 1, 2);
        ScriptCoverage.Report vote = coverage.of(REDLOCK.scripts()).get("redlock/lead/vote.lua");
        assertThat(vote.count()).isEqualTo(5);
        // The record is looked at. In these seeds, no client trusts servers that others watch.
        assertThat(vote.missed()).contains(8).doesNotContain(4);
    }

    @Test
    @Tag("deep")
    void whatMustHoldHoldsForAMajorityOfServersInManySeeds() throws InterruptedException {
        Series.Result result = run(REDLOCK, Set.of(), 1, 1_000);
        assertThat(result.found()).isEmpty();
        assertThat(result.runs()).isEqualTo(1_000);
        assertThat(result.withoutEffect(REDLOCK, Set.of())).isEmpty();
        assertThat(result.effects()).containsKeys("nodes-changed", "change-broken-off", "trust-refused");
    }

    @Test
    @Tag("deep")
    void whatMustHoldHoldsForServersThatAreTrustedToKeepTheirData() throws InterruptedException {
        Series.Result result = run(TRUSTING, Set.of(), 1, 300);
        assertThat(result.found()).isEmpty();
        assertThat(result.effects()).containsKeys("restart", "failover").doesNotContainKeys("restart-empty", "flush");
        // One that does not keep them votes at once.
        assertThat(run(TRUSTING, Set.of(Assumption.RESTART_KEEPS_DATA), 6).violation())
                .isPresent();
    }

    @Test
    @Tag("deep")
    void whatMustHoldHoldsInManySeeds() throws InterruptedException {
        Series.Result result = run(SET_NX_PX, Set.of(), 1, 11_000);
        assertThat(result.found()).isEmpty();
        assertThat(result.runs()).isEqualTo(11_000);
        assertThat(result.withoutEffect(SET_NX_PX, Set.of())).isEmpty();
    }

    @Test
    @Tag("deep")
    void whatMustHoldHoldsForLocksThatAreTimestampsToo() throws InterruptedException {
        Series.Result result = run(SETNX_GETSET, Set.of(), 1, 7_700);
        assertThat(result.found()).isEmpty();
        assertThat(result.runs()).isEqualTo(7_700);
        assertThat(result.withoutEffect(SETNX_GETSET, Set.of())).isEmpty();
    }

    /** Many hours on two cores; {@code -Dinterlock.simulation.part=1/3} plays the first of three parts. */
    @ParameterizedTest
    @CsvSource({"set-nx-px, 1000000", "setnx-getset, 1000000", "redlock, 200000"})
    @Tag("nightly")
    void whatMustHoldHoldsInTheSeedsOfANight(String strategy, long seeds) throws InterruptedException {
        String[] part = System.getProperty("interlock.simulation.part", "1/1").split("/", 2);
        long number = Long.parseLong(part[0]);
        long of = Long.parseLong(part[1]);
        long first = 1 + (number - 1) * seeds / of;
        long end = 1 + number * seeds / of;
        Series.Result result = run(Setup.of(strategy), Set.of(), first, end - first);
        assertThat(result.found()).isEmpty();
        assertThat(result.runs()).isEqualTo(end - first);
    }

    @Test
    @Tag("deep")
    void eachAssumptionThatIsDroppedLetsAViolationBeFound() throws InterruptedException {
        for (Assumption assumption : SET_NX_PX.profile().assumptions()) {
            assertThat(run(SET_NX_PX, Set.of(assumption), 1, 200).found())
                    .as("without %s", assumption)
                    .isPresent();
        }
    }

    @Test
    @Tag("deep")
    void eachAssumptionOfLocksThatAreTimestampsMattersToo() {
        Map<Assumption, Integer> seeds = Map.of(
                Assumption.CLIENT_CLOCKS_AGREE, 7,
                Assumption.BOUNDED_CLOCK_RATES, 1815,
                Assumption.NO_FAILOVER, 14,
                Assumption.NO_EVICTION, 14,
                Assumption.RESTART_KEEPS_DATA, 14);
        assertThat(seeds.keySet()).isEqualTo(SETNX_GETSET.profile().assumptions());
        seeds.forEach((assumption, seed) -> assertThat(
                        run(SETNX_GETSET, Set.of(assumption), seed).violation())
                .as("without %s, seed %d", assumption, seed)
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("both "));
    }

    @Test
    @Tag("deep")
    void eachAssumptionOfAMajorityOfServersMattersToo() {
        Map<Assumption, Integer> seeds = Map.of(
                Assumption.SERVER_CLOCK_STEADY, 41,
                Assumption.BOUNDED_CLOCK_RATES, 9,
                Assumption.NO_FAILOVER, 9,
                Assumption.NO_EVICTION, 20,
                Assumption.NO_ROLLBACK, 9,
                Assumption.MAJORITY_UP, 1,
                Assumption.SAME_SERVERS, 1);
        assertThat(seeds.keySet()).isEqualTo(REDLOCK.profile().assumptions());
        seeds.forEach((assumption, seed) -> assertThat(
                        run(REDLOCK, Set.of(assumption), seed).violation())
                .as("without %s, seed %d", assumption, seed)
                .isPresent());
    }

    @Test
    @Tag("deep")
    void whicheverClockTellsTheTimeWhatMustHoldHolds() throws InterruptedException {
        for (String clock : List.of("server", "observed")) {
            Setup setup = Setup.of(Strategies.ALL.get("setnx-getset"), Map.of("clock", clock));
            assertThat(run(setup, Set.of(), 1, 300).found()).as(clock).isEmpty();
            // The wall clock of a holder is set back, and then it dies.
            assertThat(run(setup, Set.of(), 104_669).violation()).as(clock).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set-nx-px fencing=false",
                "set-nx-px fencing=false release=transaction wakeup=poll",
                "set-nx-px wakeup=pubsub",
                "set-nx-px wakeup=poll",
                "set-nx-px wire=plain",
                "setnx-getset fraction=false",
                "setnx-getset clock=server unit=milliseconds"
            })
    @Tag("deep")
    void whatMustHoldHoldsWithOtherOptions(String words) throws InterruptedException {
        List<String> parts = List.of(words.split(" ", -1));
        Map<String, String> options = new HashMap<>();
        for (String option : parts.subList(1, parts.size())) {
            options.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
        }
        Setup setup = Setup.of(Strategies.ALL.get(parts.get(0)), options);
        assertThat(run(setup, Set.of(), 1, 300).found()).isEmpty();
    }
}
