// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.conformance.ConformanceResult;
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
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.UncontendedPair;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RenderersTest {
    static final Report REPORT = new Report(
            Report.SCHEMA_VERSION,
            "0.1",
            "./interlock compare --full",
            "2026-11-21T12:00:00Z",
            "normal",
            new Machine("17.0.1+1 (Maker)", "Linux 6.1, amd64", 2),
            List.of(
                    new StrategyReport(
                            "first",
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
                            new UncontendedPair.Result(
                                    50_000,
                                    0.0871,
                                    0.2349,
                                    10_000.4,
                                    2.0,
                                    List.of(new UncontendedPair.Latency(50, 0.0871))),
                            List.of(
                                    new Contention.Result(1, 8, 20_000, 19_999.6, 0.125),
                                    new Contention.Result(4, 1, 3_000, 900, 3.25)),
                            new ConformanceResult(List.of(
                                    new RuleVerdict(1, 1, "aFreeLockIsHad", RuleVerdict.Outcome.PASSED, null),
                                    new RuleVerdict(
                                            1, 2, "aHeldLockIsRefused", RuleVerdict.Outcome.FAILED, "it should | wait"),
                                    new RuleVerdict(
                                            7, 1, "aGrantIsNumbered", RuleVerdict.Outcome.SKIPPED, "no numbers"))),
                            null),
                    new StrategyReport(
                            "second",
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
                            null,
                            "it broke | in two")),
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
            List.of("Something was left out."));

    private static Evidence evidence(long nobody, int stale) {
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
                        +-------------------------------------------------------------+-------+--------+
                        | Property                                                    | first | second |
                        +-------------------------------------------------------------+-------+--------+
                        | promises: the holding thread may lock again                 |   yes |      - |
                        | promises: a live holder's lease is extended by itself       |     - |      - |
                        | promises: grants are numbered in strictly increasing order  |     - |      - |
                        | promises: waiters are told when the lock is freed           |     - |      - |
                        | promises: waiting clients are served in order of arrival    |     - |      - |
                        | promises: survives the failure of a minority of its servers |     - |      - |
                        | promises: a release never touches another holder's lock     |     - |      - |
                        | assumes: the clients' wall clocks agree                     |     - |      - |
                        | assumes: the server's wall clock is not stepped             |     - |      - |
                        | assumes: all clocks run at nearly the same rate             |     - |      - |
                        | assumes: no failover loses an acknowledged write            |   yes |      - |
                        | assumes: the server evicts no lock key                      |     - |      - |
                        | assumes: a restarted server has kept its data               |     - |      - |
                        | assumes: no server is set back to an earlier state          |     - |      - |
                        | assumes: a majority of the servers is up                    |     - |      - |
                        | assumes: all clients name the same servers                  |     - |      - |
                        +-------------------------------------------------------------+-------+--------+
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

                        Conformance
                        +--------------+-----------+
                        | Chapter      |     first |
                        +--------------+-----------+
                        | 1. Exclusion | 1 / 1 / 0 |
                        | 7. Fencing   | 0 / 0 / 1 |
                        | All          | 1 / 1 / 1 |
                        +--------------+-----------+
                        Rules of the contract that are kept / broken / skipped because their needs are not met.

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
                        |---|---:|---:|
                        | save work | first | it is </script> first |
                        | keep data right | none of them | none of those that were compared will do |

                        Only strategies in which nothing wrong was found. No lease alone keeps data right: see docs/choosing-a-strategy.md.

                        ## Promises and assumptions

                        | Property | first | second |
                        |---|---:|---:|
                        | promises: the holding thread may lock again | yes | - |
                        | promises: a live holder's lease is extended by itself | - | - |
                        | promises: grants are numbered in strictly increasing order | - | - |
                        | promises: waiters are told when the lock is freed | - | - |
                        | promises: waiting clients are served in order of arrival | - | - |
                        | promises: survives the failure of a minority of its servers | - | - |
                        | promises: a release never touches another holder's lock | - | - |
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
                        |---|---:|---:|---:|---:|---:|
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
                        |---|---:|---:|---:|---:|
                        | first | 1 client x 8 threads | 20,000/s | 20,000/s | 0.13 |
                        | first | 4 clients x 1 thread | 3,000/s | 900/s | 3.25 |

                        A hand-off is an acquisition by another thread than the one before.

                        ## Conformance

                        | Chapter | first |
                        |---|---:|
                        | 1. Exclusion | 1 / 1 / 0 |
                        | 7. Fencing | 0 / 0 / 1 |
                        | All | 1 / 1 / 1 |

                        Rules of the contract that are kept / broken / skipped because their needs are not met.

                        ## Faults

                        | Fault | first |
                        |---|---:|
                        | killed | blocked 6.5 s |
                        | flushall | violated ! |

                        blocked: never two holders at once, but nobody had the lock for a while.

                        violated: two holders at once, and nothing kept the data right.

                        !: the profile does not declare it, and the fault does not excuse it.

                        Something was left out.

                        Only ratios between strategies travel from one machine to another; the figures themselves do not.

                        **FAILED: strategy "first" breaks rule 1.2, aHeldLockIsRefused: it should | wait**

                        **FAILED: strategy "second" lost 600 of 1000 updates: its lock let two holders in at once.**

                        **FAILED: strategy "second" could not be measured: it broke | in two**

                        **FAILED: strategy "first" under fault flushall: two holders at once, and nothing kept the data right, which its profile does not declare.**
                        """);
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
    void jsonCanBeReadBackWhole() {
        assertThat(new Gson().fromJson(JsonRenderer.render(REPORT), Report.class))
                .isEqualTo(REPORT);
    }
}
