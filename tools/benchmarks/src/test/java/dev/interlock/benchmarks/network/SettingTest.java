// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
    @ParameterizedTest
    @CsvSource({
        "0.2ms, 200000, 0.2ms",
        "200us, 200000, 0.2ms",
        "1ms, 1000000, 1ms",
        "10.0ms, 10000000, 10ms",
        "0ms, 0, 0ms"
    })
    void aRoundTripIsReadAndWrittenInMilliseconds(String text, long nanos, String written) {
        Duration roundTrip = PingTimes.parse(text);

        assertThat(roundTrip).isEqualTo(Duration.ofNanos(nanos));
        assertThat(new Setting(Topology.SINGLE_SERVERS, roundTrip).network()).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "ms", "-1ms", "1s", "1 ms", "1e3ms", "101ms", "99999999999999999999ms"})
    void whatIsNoRoundTripIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PingTimes.parse(text))
                .withMessageContaining(text);
    }

    @Test
    void aLabelNamesWhatDiffersFromServersOnTheLoopbackInterface() {
        Duration roundTrip = Duration.ofMillis(1);

        assertThat(Setting.PLAIN.label()).isEqualTo("loopback");
        assertThat(new Setting(Topology.SINGLE_SERVERS, roundTrip).label()).isEqualTo("rtt 1ms");
        assertThat(new Setting(Topology.SENTINELS, null).label()).isEqualTo("sentinels");
        assertThat(new Setting(Topology.CLUSTER, roundTrip).label()).isEqualTo("cluster, rtt 1ms");
    }
}
