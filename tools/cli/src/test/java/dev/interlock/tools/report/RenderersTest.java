// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.ContractSentences;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.Declaration;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.evidence.GuardedStore;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.StoreWrites;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.UncontendedPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RenderersTest {
    private static final UncontendedPair.Result PAIR = new UncontendedPair.Result(
            50_000, 0.0871, 0.2349, 10_000.4, 2.0, List.of(new UncontendedPair.Latency(50, 0.0871)));
    private static final Contention.Result OF_ONE_CLIENT =
            new Contention.Result(1, 8, 20_000, 19_999.6, 0.125, 0.998, 0.9);
    private static final Contention.Result OF_FOUR_CLIENTS = new Contention.Result(4, 1, 3_000, 900, 3.25, 0.5, 0.02);

    static final Report REPORT = new Report(
            Report.KIND,
            Report.SCHEMA_VERSION,
            "0.1",
            null,
            "./interlock compare --full",
            "2026-11-21T12:00:00Z",
            "normal",
            1,
            new Machine("17.0.1+1 (Maker)", "Linux 6.1, amd64", 2, null),
            null,
            List.of(
                    new StrategyReport(
                            "first",
                            null,
                            Map.of("wakeup", "queue", "fencing", "true"),
                            "The first.",
                            "be first",
                            ServerNeeds.independent(3, 5),
                            Set.of(Capability.REENTRANT),
                            Set.of(Assumption.NO_FAILOVER),
                            List.of("redis://127.0.0.1:7000"),
                            "7.2.4",
                            Backend.Counting.MONITOR,
                            new GuardedCounter.Result(2, 4, 12_345, 12_345),
                            PAIR,
                            List.of(PAIR),
                            List.of(OF_ONE_CLIENT, OF_FOUR_CLIENTS),
                            List.of(OF_ONE_CLIENT, OF_FOUR_CLIENTS),
                            List.of(),
                            List.of(),
                            null,
                            new ConformanceResult(
                                    List.of(
                                            new RuleVerdict(1, 1, "aFreeLockIsHad", RuleVerdict.Outcome.PASSED, null),
                                            new RuleVerdict(
                                                    1,
                                                    2,
                                                    "aHeldLockIsRefused",
                                                    RuleVerdict.Outcome.FAILED,
                                                    "it should | wait"),
                                            new RuleVerdict(
                                                    7,
                                                    1,
                                                    "aGrantIsNumbered",
                                                    RuleVerdict.Outcome.SKIPPED,
                                                    "no numbers")),
                                    5),
                            null,
                            List.of(new GuardedCounter.Result(2, 4, 12_345, 12_345)),
                            List.of(),
                            List.of(),
                            List.of()),
                    new StrategyReport(
                            "second",
                            null,
                            Map.of(),
                            "The second.",
                            null,
                            null,
                            Set.of(),
                            Set.of(),
                            List.of(),
                            "7.2.4",
                            Backend.Counting.MONITOR,
                            new GuardedCounter.Result(2, 4, 1_000, 400),
                            null,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            null,
                            null,
                            "it broke | in two",
                            List.of(new GuardedCounter.Result(2, 4, 1_000, 400)),
                            List.of(),
                            List.of(),
                            List.of())),
            new FaultReport(
                    7,
                    2000,
                    "7.2.4",
                    List.of(FaultReport.Fault.of(LabFault.KILLED), FaultReport.Fault.of(LabFault.FLUSHALL)),
                    List.of(new FaultReport.Row(
                            "first",
                            "first",
                            Map.of(),
                            false,
                            false,
                            Set.of(Capability.REENTRANT),
                            Set.of(Assumption.NO_FAILOVER),
                            List.of(
                                    LabCell.played(
                                            LabFault.KILLED,
                                            CellVerdict.BLOCKED,
                                            new Declaration(Declaration.Kind.NOTHING, null),
                                            evidence(6_540, 0)),
                                    LabCell.played(
                                            LabFault.FLUSHALL,
                                            CellVerdict.VIOLATED,
                                            new Declaration(Declaration.Kind.UNDECLARED, null),
                                            evidence(0, 1)))))),
            List.of(
                    new Recommendation("save work", "first", "it is </script> first"),
                    new Recommendation("keep data right", null, "none of those that were compared will do")),
            List.of("Something was left out."),
            null,
            null);

    static Evidence evidence(long nobody, int stale) {
        return new Evidence(
                2000,
                0,
                nobody,
                false,
                stale,
                stale,
                0,
                0,
                true,
                null,
                null,
                30L,
                List.of("a key"),
                "VALID",
                null,
                List.of(new Evidence.Entry(
                        30.5,
                        "rival",
                        Moment.What.WROTE,
                        5L,
                        new StoreWrites(GuardedStore.Write.ACCEPTED, GuardedStore.Write.REFUSED),
                        null)));
    }

    @Test
    void theTerminalShowsTablesAndThenWhatWentWrong() {
        assertThat(TerminalRenderer.render(REPORT, ReportTables.of(REPORT))).isEqualTo("""
                        Interlock: strategies side by side
                        2026-11-21T12:00:00Z; Interlock 0.1, effort normal; Redis 7.2.4; Java 17.0.1+1 (Maker); Linux 6.1,
                        amd64, 2 cores

                        Which one to take
                        +-----------------+--------------------------------------------------------+
                        | To              | Take                                                   |
                        +-----------------+--------------------------------------------------------+
                        | save work       | first: it is </script> first                           |
                        | keep data right | none of them: none of those that were compared will do |
                        +-----------------+--------------------------------------------------------+
                        Only strategies in which nothing wrong was found. No lease alone keeps data right: see
                        docs/choosing-a-strategy.md.

                        Promises and assumptions
                        +----------------------------------------------------+-------+--------+
                        | Property                                           | first | second |
                        +----------------------------------------------------+-------+--------+
                        | promises: the holding thread may lock again        |   yes |      - |
                        | assumes: the clients' wall clocks agree            |     - |      - |
                        | assumes: the server's wall clock is not stepped    |     - |      - |
                        | assumes: all clocks run at nearly the same rate    |     - |      - |
                        | assumes: no failover loses an acknowledged write   |   yes |      - |
                        | assumes: the server evicts no lock key             |     - |      - |
                        | assumes: a restarted server has kept its data      |     - |      - |
                        | assumes: no server is set back to an earlier state |     - |      - |
                        | assumes: a majority of the servers is up           |     - |      - |
                        | assumes: all clients name the same servers         |     - |      - |
                        +----------------------------------------------------+-------+--------+
                        Take first to be first, on 5 servers that are independent of each other, at least 3.
                        Options of first: fencing=true, wakeup=queue.

                        Guarded counter
                        +----------+---------------+----------+--------+--------------+---------+
                        | Strategy |     Processes | Expected | Actual | Lost updates | Verdict |
                        +----------+---------------+----------+--------+--------------+---------+
                        | first    | 2 x 4 threads |   12,345 | 12,345 |            0 | correct |
                        | second   | 2 x 4 threads |    1,000 |    400 |          600 |  BROKEN |
                        +----------+---------------+----------+--------+--------------+---------+
                        Processes add one to a number in Redis by GET and SET under the lock; two holders at once lose
                        updates.

                        Uncontended lock and unlock, one thread
                        +----------+----------+----------+----------+-------------------+
                        | Strategy |      p50 |      p99 |    Pairs | Commands per pair |
                        +----------+----------+----------+----------+-------------------+
                        | first    | 0.087 ms | 0.235 ms | 10,000/s |              2.00 |
                        +----------+----------+----------+----------+-------------------+
                        Commands: those that clients sent, counted by MONITOR; those inside scripts are not counted.

                        Contended lock, one name
                        +----------+----------------------+--------------+-----------+--------------------------+
                        | Strategy |           Contenders | Acquisitions | Hand-offs | Commands per acquisition |
                        +----------+----------------------+--------------+-----------+--------------------------+
                        | first    | 1 client x 8 threads |     20,000/s |  20,000/s |                     0.13 |
                        | first    | 4 clients x 1 thread |      3,000/s |     900/s |                     3.25 |
                        +----------+----------------------+--------------+-----------+--------------------------+
                        A hand-off is an acquisition by another thread than the one before.

                        Fairness
                        +----------+----------------------+----------+-------------+
                        | Strategy |           Contenders | Fairness | Least share |
                        +----------+----------------------+----------+-------------+
                        | first    | 1 client x 8 threads |     1.00 |        0.90 |
                        | first    | 4 clients x 1 thread |     0.50 |        0.02 |
                        +----------+----------------------+----------+-------------+
                        Fairness is Jain's index of the contenders' shares: 1 if all had the same, 1/n if one of n had
                        everything. The least share is that of the contender who got least, where 1 is as much as the
                        others.

                        Conformance
                        +--------------+-----------+
                        | Chapter      |     first |
                        +--------------+-----------+
                        | 1. Exclusion | 1 / 1 / 0 |
                        | 7. Fencing   | 0 / 0 / 1 |
                        | All          | 1 / 1 / 1 |
                        | Retries      |         5 |
                        +--------------+-----------+
                        Rules of the contract that are kept / broken / skipped because their needs are not met.
                        Retries: how often a rule tried again, because the machine may have stood still; a lock that fails
                        now and then could hide behind them.

                        Faults
                        +----------+---------------+
                        | Fault    |         first |
                        +----------+---------------+
                        | killed   | blocked 6.5 s |
                        | flushall |    violated ! |
                        +----------+---------------+
                        blocked: never two holders at once, but nobody had the lock for a while.
                        violated: two holders at once, and nothing kept the data right.
                        !: the profile does not declare it, and the fault does not excuse it.

                        Recovery: from the fault to the next grant to another client
                        +--------+-------+
                        | Fault  | first |
                        +--------+-------+
                        | killed | 0.0 s |
                        +--------+-------+
                        The lease is 2.0 s; a dead holder's lock is not free before its lease is over. "before": the next
                        client had the lock already when the fault struck. "never" is within the time that the lab looked.

                        Something was left out.
                        Only ratios between strategies travel from one machine to another; the figures themselves do not.
                        FAILED: strategy "first" breaks rule 1.2, aHeldLockIsRefused: it should | wait
                        FAILED: strategy "second" lost 600 of 1000 updates: its lock let two holders in at once.
                        FAILED: strategy "second" could not be measured: it broke | in two
                        FAILED: strategy "first" under fault flushall: two holders at once, and nothing kept the data right,
                        which its profile does not declare.
                        """);
    }

    @Test
    void markdownShowsTheSameTables() {
        assertThat(MarkdownRenderer.render(REPORT, ReportTables.of(REPORT))).isEqualTo("""
                        # Interlock: strategies side by side

                        2026-11-21T12:00:00Z; Interlock 0.1, effort normal; Redis 7.2.4; Java 17.0.1+1 (Maker); Linux 6.1, amd64, 2 cores

                        Made by `./interlock compare --full`.

                        ## Which one to take

                        | To | take | because |
                        |---|---|---|
                        | save work | first | it is </script> first |
                        | keep data right | none of them | none of those that were compared will do |

                        Only strategies in which nothing wrong was found. No lease alone keeps data right: see docs/choosing-a-strategy.md.

                        ## Promises and assumptions

                        | Property | first | second |
                        |---|---|---|
                        | promises: the holding thread may lock again | yes | - |
                        | assumes: the clients' wall clocks agree | - | - |
                        | assumes: the server's wall clock is not stepped | - | - |
                        | assumes: all clocks run at nearly the same rate | - | - |
                        | assumes: no failover loses an acknowledged write | yes | - |
                        | assumes: the server evicts no lock key | - | - |
                        | assumes: a restarted server has kept its data | - | - |
                        | assumes: no server is set back to an earlier state | - | - |
                        | assumes: a majority of the servers is up | - | - |
                        | assumes: all clients name the same servers | - | - |

                        Take first to be first, on 5 servers that are independent of each other, at least 3.

                        Options of first: fencing=true, wakeup=queue.

                        ## Guarded counter

                        | Strategy | Processes | Expected | Actual | Lost updates | Verdict |
                        |---|---|---:|---:|---:|---|
                        | first | 2 x 4 threads | 12,345 | 12,345 | 0 | correct |
                        | second | 2 x 4 threads | 1,000 | 400 | 600 | BROKEN |

                        Processes add one to a number in Redis by GET and SET under the lock; two holders at once lose updates.

                        ## Uncontended lock and unlock, one thread

                        | Strategy | p50 | p99 | Pairs | Commands per pair |
                        |---|---:|---:|---:|---:|
                        | first | 0.087 ms | 0.235 ms | 10,000/s | 2.00 |

                        Commands: those that clients sent, counted by MONITOR; those inside scripts are not counted.

                        ## Contended lock, one name

                        | Strategy | Contenders | Acquisitions | Hand-offs | Commands per acquisition |
                        |---|---|---:|---:|---:|
                        | first | 1 client x 8 threads | 20,000/s | 20,000/s | 0.13 |
                        | first | 4 clients x 1 thread | 3,000/s | 900/s | 3.25 |

                        A hand-off is an acquisition by another thread than the one before.

                        ## Fairness

                        | Strategy | Contenders | Fairness | Least share |
                        |---|---|---:|---:|
                        | first | 1 client x 8 threads | 1.00 | 0.90 |
                        | first | 4 clients x 1 thread | 0.50 | 0.02 |

                        Fairness is Jain's index of the contenders' shares: 1 if all had the same, 1/n if one of n had everything. The least
                        share is that of the contender who got least, where 1 is as much as the others.

                        ## Conformance

                        | Chapter | first |
                        |---|---:|
                        | 1. Exclusion | 1 / 1 / 0 |
                        | 7. Fencing | 0 / 0 / 1 |
                        | All | 1 / 1 / 1 |
                        | Retries | 5 |

                        Rules of the contract that are kept / broken / skipped because their needs are not met.

                        Retries: how often a rule tried again, because the machine may have stood still; a lock that fails now and then could
                        hide behind them.

                        ## Faults

                        | Fault | first |
                        |---|---|
                        | killed | blocked 6.5 s |
                        | flushall | violated ! |

                        blocked: never two holders at once, but nobody had the lock for a while.

                        violated: two holders at once, and nothing kept the data right.

                        !: the profile does not declare it, and the fault does not excuse it.

                        ## Recovery: from the fault to the next grant to another client

                        | Fault | first |
                        |---|---:|
                        | killed | 0.0 s |

                        The lease is 2.0 s; a dead holder's lock is not free before its lease is over. "before": the next client had the lock
                        already when the fault struck. "never" is within the time that the lab looked.

                        Something was left out.

                        Only ratios between strategies travel from one machine to another; the figures themselves do not.

                        **FAILED: strategy "first" breaks rule 1.2, aHeldLockIsRefused: it should | wait**

                        **FAILED: strategy "second" lost 600 of 1000 updates: its lock let two holders in at once.**

                        **FAILED: strategy "second" could not be measured: it broke | in two**

                        **FAILED: strategy "first" under fault flushall: two holders at once, and nothing kept the data right, which its profile does not declare.**
                        """);
    }

    @Test
    void whoeverHadTheLockBeforeTheFaultStruckDidNotWaitForItInVain() {
        assertThat(recoveries(false)).containsExactly(List.of("killed", "before"));
        assertThat(recoveries(true)).containsExactly(List.of("killed", "never"));
    }

    /** Of a lock that nobody was granted after the fault. */
    private static List<List<String>> recoveries(boolean unserved) {
        Evidence evidence = new Evidence(
                2_000, 0, 0, unserved, 0, 0, 0, 0, true, null, null, null, List.of(), "valid", null, List.of());
        LabCell cell = LabCell.played(
                LabFault.KILLED, CellVerdict.SAFE, new Declaration(Declaration.Kind.NOTHING, null), evidence);
        FaultReport.Row row =
                new FaultReport.Row("first", "first", Map.of(), false, false, Set.of(), Set.of(), List.of(cell));
        List<FaultReport.Fault> faults = List.of(FaultReport.Fault.of(LabFault.KILLED));
        return FaultTables.recovery(new FaultReport(7, 2_000, "7.2.4", faults, List.of(row)))
                .rows();
    }

    @Test
    void figuresStandRightAndWordsLeft() {
        ReportTable table = new ReportTable(
                "Table",
                List.of("Name", "Figures", "Words", "Both", "Nothing"),
                List.of(
                        List.of("1", "1,500/s (1,000 to 2,000)", "yes", "0.5 ms", "-"),
                        List.of("2", "never", "-", "4 clients", ""),
                        List.of("3", "below 350 B", "-", "0.5 ms", ""),
                        List.of("4", "before", "-", "0.5 ms", "")),
                List.of());
        StringBuilder text = new StringBuilder();

        MarkdownRenderer.table(text, table);

        assertThat(text).contains("|---|---:|---|---|---|\n");
    }

    @Test
    void eachRuleOfTheKitHasASentenceInTheContract() throws IOException {
        assertThat(ContractSentences.parse(Files.readString(Path.of("../../docs/contract.md"))))
                .containsEntry(
                        "1.1", "`tryLock()` on a free lock MUST return true, and the thread MUST then hold the lock.")
                .containsOnlyKeys(Rule.ALL.stream().map(Rule::id).toList())
                .allSatisfy((rule, sentence) ->
                        assertThat(sentence).as(rule).endsWith(".").doesNotContain("*Intent"));
    }

    @Test
    void thePageHasAllInItAndItsDataCannotEndIt() {
        String page = HtmlRenderer.render(REPORT);

        assertThat(page)
                .contains("Chart.js v" + Version.OF_CHARTS, "it is \\u003c/script\\u003e first", "prefers-color-scheme")
                .doesNotContain("it is </script>")
                .doesNotContainPattern("<(link|img|iframe)|(src|href)=[\"']http|/\\*(STYLE|DATA|CHARTS|SCRIPT)\\*/");
    }

    @Test
    void figuresOfSeveralRoundsHaveARange() {
        String text = MarkdownRenderer.render(SampleReport.report(), ReportTables.of(SampleReport.report()));

        assertThat(text)
                .contains("| 1.500 ms (1.000 to 2.000) | 3.000 ms (2.000 to 4.000) | 1,500/s (1,000 to 2,000) | 2.00 |")
                .contains("| 1,500/s (1,000 to 2,000) | 750/s (500 to 1,000) | 3.50 (3.00 to 4.00) |")
                .contains("| 0.75 (0.50 to 1.00) | 0.38 (0.25 to 0.50) |");
        assertThat(text.lines().filter(line -> line.startsWith("Measured 2 times, in rounds")))
                .as("pairs, contenders, fairness, growth, networks and memory")
                .hasSize(6);
        assertThat(text)
                .as("the number under the lock")
                .contains("| 2 x 4 threads | 200 | 200 | 0 | correct |", "The sums of 2 rounds.")
                .as("growth")
                .contains("| 1,500/s (1,000 to 2,000), 3.50 (3.00 to 4.00) | 1,500/s")
                .as("a network")
                .contains(
                        "| 1.0 ms | 4.500 ms (3.000 to 6.000) | 9.000 ms (6.000 to 12.000) | 1,500/s (1,000 to 2,000) |")
                .as("memory")
                .contains("| 100 B | 81 B (80 to 81) | 900 B |")
                .doesNotContain("Measured once");
    }

    @Test
    void figuresOfAFormerVersionThatWereMeasuredOnceAreCalledSo() {
        Report former = former(SampleReport.report());

        String text = MarkdownRenderer.render(former, ReportTables.of(former));

        assertThat(text.lines().filter(line -> line.contains("Measured once, in the first round.")))
                .as("the number under the lock, growth, networks and memory")
                .hasSize(4);
        assertThat(text)
                .contains("| 2 x 4 threads | 100 | 100 | 0 | correct |")
                .contains("These figures are unreliable: the heap of few locks was measured once")
                .contains("Limits of shedlock (https://");
    }

    /** Takes from a report what those of former versions do not have. */
    private static Report former(Report report) {
        JsonObject former = new Gson().fromJson(JsonRenderer.render(report), JsonObject.class);
        former.remove("speedTerms");
        former.remove("libraries");
        former.getAsJsonArray("strategies").forEach(element -> {
            JsonObject strategy = element.getAsJsonObject();
            List.of("guardedCounterRuns", "growthRuns", "roundTripRuns", "footprintRuns")
                    .forEach(strategy::remove);
            strategy.getAsJsonObject("footprint").remove("heapNoiseBytesPerLock");
            if (strategy.has("peer")) {
                List.of("documentedLimits", "findings", "additions").forEach(strategy.getAsJsonObject("peer")::remove);
            }
        });
        return new Gson().fromJson(former, Report.class);
    }

    @Test
    void aHeapThatIsNotAboveTheNoiseIsShownAsABound() {
        Footprint.Result clear = new Footprint.Result(2_000, 1_021, 80.0, 900, 12.0);
        Footprint.Result noisy = new Footprint.Result(2_000, 100, 80.0, 900, 250.0);
        Footprint.Result negative = new Footprint.Result(2_000, -40, 80.0, 900, 250.0);

        assertThat(SpeedTables.heap(List.of(clear))).isEqualTo("1,021 B");
        assertThat(SpeedTables.heap(List.of(noisy))).isEqualTo("below 350 B");
        assertThat(SpeedTables.heap(List.of(negative))).isEqualTo("below 250 B");
        assertThat(SpeedTables.heap(List.of(clear, noisy))).isEqualTo("below 1,033 B");
        assertThat(SpeedTables.heap(List.of(new Footprint.Result(200, 0, -6_190.0, 900, null))))
                .isEqualTo("-");
        Report sample = SampleReport.report();
        assertThat(MarkdownRenderer.render(sample, ReportTables.of(sample))).contains("| redlock | below 450 B | 8");
    }

    @Test
    void rulesThatAreBrokenInSomeRoundsAloneAreCounted() {
        Report sample = SampleReport.report();
        ConformanceResult ofPeer = sample.strategies().stream()
                .filter(strategy -> strategy.name().equals("redisson-rlock"))
                .findFirst()
                .orElseThrow()
                .conformance();
        String text = MarkdownRenderer.render(sample, ReportTables.of(sample));

        assertThat(ofPeer.rounds()).isEqualTo(2);
        assertThat(ofPeer.brokenInSomeRounds())
                .isPositive()
                .isLessThan(ofPeer.all().failed());
        assertThat(text)
                .contains("/ " + ofPeer.all().failed() + " (" + ofPeer.brokenInSomeRounds() + ") /")
                .contains("were asked in each of 2 rounds.");
        assertThat(JsonRenderer.render(sample)).contains("\"in 1 of 2 rounds: it is made up so\"");
    }

    @Test
    void otherLibrariesAreNamedWithTheirVersionsAndLimitsAndAreNotJudged() {
        Report sample = SampleReport.report();
        String text = TerminalRenderer.render(sample, ReportTables.of(sample));

        assertThat(text.replaceAll("\\s+", " "))
                .contains("Locks of other libraries", "Redisson RFencedLock", "Redisson fair lock")
                .contains("Documented of shedlock (https://github.com/lukas-krecan/ShedLock): ")
                .contains("unlock() too (rules 4.1, 4.7)", "Added to shedlock here: The loop that waits.")
                .contains("30 s and 5 s while speed is measured", "Libraries: jedis 8.0.2, redisson 4.7.0.")
                .contains("(commit 0123456789ab)", "load average 0.5 at the beginning and 1.5 at the end")
                .contains("Measured 2 times, in rounds", "(1,000 to 2,000)", "never promised them")
                .doesNotContainPattern("FAILED: strategy \"(redisson-r|spring-|shedlock)");
        // An address cannot be broken.
        assertThat(text.lines().filter(line -> !line.matches("\\(https://\\S+")))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(sample.recommendations())
                .extracting(Recommendation::strategy)
                .doesNotContain("redisson-rlock", "redisson-redlock", "shedlock");
        assertThat(sample.faults().problems()).isNotEmpty().noneMatch(problem -> problem.contains("shedlock"));
    }

    @Test
    void jsonCanBeReadBackWhole() {
        assertThat(new Gson().fromJson(JsonRenderer.render(REPORT), Report.class))
                .isEqualTo(REPORT);
    }

    @Test
    void aReportOfAFormerVersionWithoutOptionsIsShown() {
        JsonObject former = new Gson().fromJson(JsonRenderer.render(REPORT), JsonObject.class);
        former.getAsJsonArray("strategies")
                .forEach(strategy -> strategy.getAsJsonObject().remove("options"));

        assertThat(HtmlRenderer.render(new Gson().fromJson(former, Report.class)))
                .contains("Promises and assumptions")
                .doesNotContain("Options of ");
    }
}
