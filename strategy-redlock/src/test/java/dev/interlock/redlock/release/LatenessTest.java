// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lead that is late is waited for by one release in two seconds, and by all when it has answered in time. */
class LatenessTest {
    private long now;
    private final Lateness lateness = new Lateness(() -> now);

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void aLeadThatWasNeverLateIsAwaited() {
        assertThat(lateness.isAwaited()).isTrue();
        assertThat(lateness.isAwaited()).isTrue();
    }

    @Test
    void ofManyReleasesOneTriesAgainAfterTwoSeconds() {
        lateness.noteLate();
        pass(1_999);
        assertThat(lateness.isAwaited()).isFalse();
        pass(1);
        assertThat(lateness.isAwaited()).isTrue();
        assertThat(lateness.isAwaited()).as("another one at the same time").isFalse();
        pass(2_000);
        assertThat(lateness.isAwaited()).as("if the first has not come back").isTrue();
    }

    @Test
    void anAnswerInTimeEndsIt() {
        lateness.noteLate();
        lateness.noteInTime();
        assertThat(lateness.isAwaited()).isTrue();
        assertThat(lateness.isAwaited()).isTrue();
    }
}
