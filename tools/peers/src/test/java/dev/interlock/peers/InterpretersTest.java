// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.opentest4j.TestAbortedException;

/** A client that cannot run here is absent, and has not passed. */
class InterpretersTest {
    private final Map<String, String> report = new HashMap<>();
    private final TestReporter reporter = report::putAll;

    @Test
    void aTestWhoseInterpreterIsMissingIsAbortedAndItsReportSaysWhy() {
        assertThatThrownBy(() -> Interpreters.require(
                        "missing language", () -> Interpreters.look("interlock-no-such-interpreter"), reporter))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageStartingWith("absent: peers: ")
                .hasMessageContaining("interlock-no-such-interpreter");
        assertThat(report.get("interlock.peers.absent"))
                .startsWith("peers: ")
                .contains("interlock-no-such-interpreter");
    }

    @Test
    void aProgramThatFailsIsAbsentToo() {
        assertThatThrownBy(() -> Interpreters.require("failing language", () -> Interpreters.look("false"), reporter))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("absent: peers: false has failed");
    }
}
