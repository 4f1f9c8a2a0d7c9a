// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Event.Type;
import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Histories with fencing tokens that are made up; times are in nanoseconds. */
class HistoriesTest {
    private static final String LOCK = "a lock";

    private final List<Event> events = new ArrayList<>();

    private void add(long nanos, String process, Type type, Op op, OptionalLong fence) {
        events.add(new Event(
                events.size(), nanos, process, type, op, LOCK, fence, OptionalLong.empty(), Optional.empty()));
    }

    private void acquires(long begin, long end, String process, long fence) {
        add(begin, process, Type.INVOKE, Op.ACQUIRE, OptionalLong.empty());
        add(end, process, Type.OK, Op.ACQUIRE, OptionalLong.of(fence));
    }

    private void releases(long begin, long end, String process) {
        add(begin, process, Type.INVOKE, Op.RELEASE, OptionalLong.empty());
        add(end, process, Type.OK, Op.RELEASE, OptionalLong.empty());
    }

    private void loses(long nanos, String process, long fence) {
        add(nanos, process, Type.OK, Op.LOST, OptionalLong.of(fence));
    }

    private boolean onlyOverlaps() {
        assertThat(Histories.judge(events, true).outcome()).isEqualTo(Outcome.VIOLATED);
        return Histories.onlyOverlaps(events);
    }

    @Test
    void aHolderThatIsToldAfterTheNextGrantOverlapsIt() {
        acquires(0, 10, "holder#1", 5);
        acquires(20, 30, "rival#1", 6);
        loses(40, "holder#1", 5);
        releases(50, 60, "rival#1");

        assertThat(onlyOverlaps()).isTrue();
    }

    @Test
    void aReleaseOfWhatTheNextOneHoldsAlreadyBelongsToTheOverlap() {
        acquires(0, 10, "holder#1", 5);
        acquires(20, 30, "rival#1", 6);
        releases(40, 50, "holder#1");
        acquires(60, 70, "holder#2", 7);
        releases(80, 90, "rival#1");
        releases(100, 110, "holder#2");

        assertThat(onlyOverlaps()).isTrue();
    }

    @Test
    void aTokenThatIsSmallerThanOneBeforeIsMoreThanAnOverlap() {
        acquires(0, 10, "holder#1", 5);
        acquires(20, 30, "rival#1", 4);
        releases(40, 50, "holder#1");
        releases(60, 70, "rival#1");

        assertThat(onlyOverlaps()).isFalse();
    }

    @Test
    void aTokenThatWasGrantedTwiceIsMoreThanAnOverlap() {
        acquires(0, 10, "holder#1", 5);
        acquires(20, 30, "rival#1", 5);
        releases(40, 50, "holder#1");
        releases(60, 70, "rival#1");

        assertThat(onlyOverlaps()).isFalse();
    }

    @Test
    void aReleaseOfWhatWasNeverHeldIsMoreThanAnOverlap() {
        acquires(0, 10, "holder#1", 5);
        acquires(20, 30, "rival#1", 6);
        releases(40, 50, "holder#1");
        releases(60, 70, "rival#1");
        assertThat(onlyOverlaps()).isTrue();

        releases(80, 90, "rival#2");
        assertThat(onlyOverlaps()).isFalse();
    }
}
