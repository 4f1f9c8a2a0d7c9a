// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimestampFormatTest {
    private static final long NOW = 1_300_000_000_123L;
    private static final Duration LEASE = Duration.ofMillis(2_500);

    @ParameterizedTest
    @CsvSource({
        "true, true, 1300000003\\.623000002500\\d{12}, 1300000003623",
        "true, false, 1300000004, 1300000004000",
        "false, true, 1300000002624\\.000002500\\d{12}, 1300000002624",
        "false, false, 1300000002624, 1300000002624",
    })
    void aTimestampIsUnixTimePlusTheLeasePlusOne(boolean seconds, boolean fraction, String text, long end) {
        TimestampFormat format = new TimestampFormat(seconds, fraction);
        Timestamp written = format.write(NOW, LEASE, Environment.system());
        assertThat(written.text()).matches(text);
        assertThat(written.millis()).isEqualTo(end);
        assertThat(written.lease()).isEqualTo(fraction ? java.util.Optional.of(LEASE) : java.util.Optional.empty());
        assertThat(format.read(written.text())).contains(written);
    }

    @Test
    void twoThatAreWrittenAtOnceDiffer() {
        TimestampFormat format = new TimestampFormat(true, true);
        assertThat(format.write(NOW, LEASE, Environment.system()).text())
                .isNotEqualTo(format.write(NOW, LEASE, Environment.system()).text());
    }

    @ParameterizedTest
    @CsvSource({
        "true, 1300000000.5, 1300000000500",
        "true, 1300000000.123456, 1300000000123",
        "false, 1300000000123.9, 1300000000123",
    })
    void theFractionOfAnotherProgramIsUnderstood(boolean seconds, String text, long end) {
        Timestamp read = new TimestampFormat(seconds, true).read(text).orElseThrow();
        assertThat(read.millis()).isEqualTo(end);
        assertThat(read.lease()).isEmpty();
    }
}
