// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyTest {
    private final Latency latency = new Latency();

    private void note(long nanos, int times) {
        for (int i = 0; i < times; i++) {
            latency.note(nanos);
        }
    }

    @Test
    void aNodeThatHasNotAnsweredHasNone() {
        assertThat(latency.nanos()).isZero();
    }

    @Test
    void aReplyThatWasReadLateDoesNotCountWhereAnotherWasNot() {
        note(10_000, 20);
        note(300, 1);
        note(10_000, 20);
        assertThat(latency.nanos()).isEqualTo(300);
    }

    @Test
    void aNodeThatHasBecomeSlowIsSeenToBe() {
        note(300, 32);
        note(10_000, 64);
        assertThat(latency.nanos()).isEqualTo(10_000);
    }
}
