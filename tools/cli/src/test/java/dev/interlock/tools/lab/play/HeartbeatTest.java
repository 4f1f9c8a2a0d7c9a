// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
    @Test
    void theLongestTimeBetweenTwoBeatsIsHowLongTheMachineStoodStill() {
        Heartbeat heartbeat = new Heartbeat(1_000);
        assertThat(heartbeat.longestStandstill()).isZero();

        heartbeat.beat(1_005);
        heartbeat.beat(1_105);
        heartbeat.beat(1_110);

        assertThat(heartbeat.longestStandstill()).isEqualTo(Duration.ofNanos(100));
    }

    @Test
    void aThreadThatRunsBeats() {
        try (Heartbeat heartbeat = Heartbeat.start()) {
            while (heartbeat.longestStandstill().isZero()) {
                Thread.onSpinWait();
            }
        }
    }
}
