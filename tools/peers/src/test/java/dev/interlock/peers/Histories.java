// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Event.Type;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Verdict;
import java.nio.file.Path;
import java.util.List;

/** What several processes have noted, judged together. Their clocks are one, since they run on one machine. */
final class Histories {
    /** Enough for a million pairs by what the checker counts for each. */
    private static final long MEMORY = 1L << 30;

    private Histories() {}

    static void judge(List<Path> files) {
        List<Event> events =
                files.stream().map(JsonLines::read).flatMap(List::stream).toList();
        assertThat(events)
                .as("releases that found no lock of their own")
                .noneMatch(event -> event.op() == Op.RELEASE && event.type() == Type.FAIL);
        Verdict verdict = new Checker(new Model(false, false), MEMORY).check(events);
        assertThat(verdict.isValid()).as("%s", verdict).isTrue();
    }
}
