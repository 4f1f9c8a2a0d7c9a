// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.interlock.Assumption;
import dev.interlock.Capability;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RenderersTest {
    private static final Report REPORT = new Report(
            1,
            "2026-11-21T12:00:00Z",
            "normal",
            new Machine("17.0.1+1 (Maker)", "Linux 6.1, amd64", 2),
            List.of(
                    new StrategyReport(
                            "first",
                            "The first.",
                            Set.of(Capability.REENTRANT),
                            Set.of(Assumption.NO_FAILOVER),
                            List.of("redis://127.0.0.1:7000"),
                            "7.2.4",
                            Backend.Counting.MONITOR,
                            new GuardedCounter.Result(2, 4, 12_345, 12_345),
                            new UncontendedPair.Result(50_000, 0.0871, 0.2349, 10_000.4, 2.0),
                            List.of(
                                    new Contention.Result(1, 8, 20_000, 19_999.6, 0.125),
                                    new Contention.Result(4, 1, 3_000, 900, 3.25)),
                            null),
                    new StrategyReport(
                            "second",
                            "The second.",
                            Set.of(),
                            Set.of(),
                            List.of(),
                            "7.2.4",
                            Backend.Counting.MONITOR,
                            new GuardedCounter.Result(2, 4, 1_000, 400),
                            null,
                            List.of(),
                            "it broke | in two")));

    @Test
    void theTerminalShowsTablesAndThenWhatWentWrong() {
        assertThat(TerminalRenderer.render(REPORT, ReportTables.of(REPORT))).isEqualTo("?");
    }

    @Test
    void markdownShowsTheSameTables() {
        assertThat(MarkdownRenderer.render(REPORT, ReportTables.of(REPORT))).isEqualTo("?");
    }

    @Test
    void jsonCanBeReadBackWhole() {
        assertThat(new Gson().fromJson(JsonRenderer.render(REPORT), Report.class))
                .isEqualTo(REPORT);
    }
}
