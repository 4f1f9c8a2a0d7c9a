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
import java.util.stream.Stream;

/** Judges the histories of several processes together. The processes run on one machine, and so share its clock. */
final class PeerHistories {
    /** Enough for two million pairs by what the checker counts for each. */
    private static final long MEMORY = 2L << 30;

    private PeerHistories() {}

    static void judge(List<Path> files) {
        List<Event> events = files.stream().flatMap(PeerHistories::read).toList();
        assertThat(events)
                .as("releases that found no lock of their own")
                .noneMatch(event -> event.op() == Op.RELEASE && event.type() == Type.FAIL);
        Verdict verdict = new Checker(new Model(false, false), MEMORY).check(events);
        assertThat(verdict.isValid()).as("%s", verdict).isTrue();
    }

    /** Each line was parsed into texts of its own, which would be a third of the memory of a long history. */
    private static Stream<Event> read(Path file) {
        return JsonLines.read(file).stream()
                .map(event -> new Event(
                        event.sequence(),
                        event.nanos(),
                        event.process().intern(),
                        event.type(),
                        event.op(),
                        event.lock().intern(),
                        event.fence(),
                        event.validNanos(),
                        event.error()));
    }
}
