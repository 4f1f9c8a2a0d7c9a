// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTextTest {
    private static final String ODD = " =&+%20,;:@/?#\"'\\\r\n\t\u0000\u00fc\u540d\ud83d\udd12";

    private static LockConfig again(LockConfig config) {
        String line = ConfigText.write(config);
        assertThat(line).doesNotContain("\n", "\r");
        return ConfigText.read(line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://localhost",
                "redis://localhost:7000/3",
                "rediss://example.org:6380",
                "redis://[::1]:7000",
                "redis://:secret@localhost",
                "redis://user:secret@localhost/1",
                "rediss://us%40er:s%2Ce%3Ac%2Fr%3Fe%23t%25%20+*~%C3%BC@[fe80::1]:6380/15",
                "redis://a:1,rediss://user:b%2Cc@b:2/3,redis://[::1]:3"
            })
    void anEndpointComesBackWithAllThatItHas(String endpoints) {
        LockConfig config = LockConfig.of(endpoints);
        assertThat(again(config).endpoints()).isEqualTo(config.endpoints());
    }

    @Test
    void aConfigurationWithoutEndpointsComesBackWithoutAny() {
        assertThat(again(LockConfig.builder().build()))
                .isEqualTo(LockConfig.builder().build());
    }

    @Test
    void allSettingsComeBack() {
        LockConfig config = LockConfig.builder()
                .endpoints("redis://:secret@localhost")
                .keyPrefix("a.b_c:d/e-f")
                .commandTimeout(Duration.ofMillis(123))
                .waitCeiling(Duration.ofMinutes(7))
                .localHandoffs(0)
                .lockDefaults(
                        LockOptions.builder().lease(Duration.ofMillis(4567)).build())
                .build();
        assertThat(again(config)).isEqualTo(config);
    }

    @Test
    void optionsComeBackWithEachCharacterOfTheirNamesAndValues() {
        LockConfig config = LockConfig.builder()
                .option("redlock.drift-factor", "0.01")
                .option("empty", "")
                .option("odd", ODD)
                .option(ODD, "odd")
                .build();
        LockConfig back = again(config);
        assertThat(back).isEqualTo(config);
        assertThat(back.optionNames()).isEqualTo(config.optionNames());
    }
}
