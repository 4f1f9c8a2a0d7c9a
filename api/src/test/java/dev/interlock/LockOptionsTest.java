// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.internal.Durations;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockOptionsTest {
    static Duration[] durationsThatNoLeaseCanHave() {
        return new Duration[] {
            Duration.ZERO,
            Duration.ofMillis(-1),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofNanos(1),
            Duration.ofNanos(9_999_999),
            Duration.ofDays(7).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE)
        };
    }

    @Test
    void theDefaultsAreARenewedLeaseOfThirtySeconds() {
        LockOptions options = LockOptions.defaults();

        assertThat(options.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.renewal()).isTrue();
        assertThat(options.maxHold()).isEmpty();
        assertThat(options.interruptOnLoss()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("durationsThatNoLeaseCanHave")
    void aLeaseOutOfBoundsIsRefusedWithTheBounds(Duration lease) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().lease(lease))
                .withMessage("lease is " + lease + ": it must lie between PT0.01S and PT168H");
    }

    @ParameterizedTest
    @MethodSource("durationsThatNoLeaseCanHave")
    void aMaxHoldOutOfBoundsIsRefusedWithTheBounds(Duration maxHold) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().maxHold(maxHold))
                .withMessage("maxHold is " + maxHold + ": it must lie between PT0.01S and PT168H");
    }

    @Test
    void theBoundsThemselvesAreAccepted() {
        assertThat(LockOptions.builder().lease(LockOptions.MIN_LEASE).build().lease())
                .isEqualTo(LockOptions.MIN_LEASE);
        assertThat(LockOptions.builder().lease(LockOptions.MAX_LEASE).build().lease())
                .isEqualTo(LockOptions.MAX_LEASE);
    }

    @Test
    void fractionsOfAMillisecondAreDropped() {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofNanos(10_999_999))
                .maxHold(Duration.ofNanos(20_000_001))
                .build();

        assertThat(options.lease()).isEqualTo(Duration.ofMillis(10));
        assertThat(options.maxHold()).contains(Duration.ofMillis(20));
    }

    @Test
    void aMaxHoldShorterThanTheLeaseIsRefusedInWhicheverOrderTheyAreSet() {
        Duration second = Duration.ofSeconds(1);
        Duration lease = Duration.ofSeconds(2);

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> LockOptions.builder().maxHold(second).lease(lease).build())
                .withMessage("maxHold (PT1S) is shorter than lease (PT2S): shorten the lease or lengthen maxHold");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> LockOptions.builder().lease(lease).maxHold(second).build());
        assertThat(LockOptions.builder().lease(lease).maxHold(lease).build().maxHold())
                .contains(lease);
    }

    @Test
    void aBuilderStartsFromTheOptionsItWasMadeOf() {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofSeconds(5))
                .renewal(false)
                .maxHold(Duration.ofSeconds(9))
                .interruptOnLoss(true)
                .build();

        assertThat(options.toBuilder().build()).isEqualTo(options).hasSameHashCodeAs(options);
        assertThat(options.toBuilder().lease(Duration.ofSeconds(6)).build()).isNotEqualTo(options);
        assertThat(options.toBuilder().renewal(true).build()).isNotEqualTo(options);
        assertThat(options.toBuilder().maxHold(Duration.ofSeconds(8)).build()).isNotEqualTo(options);
        assertThat(options.toBuilder().interruptOnLoss(false).build()).isNotEqualTo(options);
        assertThat(options)
                .hasToString("LockOptions[lease=PT5S, renewal=false, maxHold=PT9S, interruptOnLoss=true]")
                .isNotEqualTo("options");
    }

    @Test
    void nullIsRefused() {
        assertThatNullPointerException().isThrownBy(() -> LockOptions.builder().lease(null));
        assertThatNullPointerException().isThrownBy(() -> LockOptions.builder().maxHold(null));
    }

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "30s, PT30S",
        "' 5 m ', PT5M",
        "2H, PT2H",
        "1d, PT24H",
        "0s, PT0S",
        "PT1.5S, PT1.5S",
        "pt30s, PT30S",
        "-PT1S, PT-1S",
        "P2D, PT48H"
    })
    void durationsAreReadInShortFormAndInIso(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "30",
                "s",
                "-5s",
                "1.5s",
                "5 minutes",
                "999999999999999999d",
                "9999999999999999999s",
                "PT99999999999999999999S",
                "P1Y",
                "PT"
            })
    void whatIsNoDurationIsRefusedWithTheForms(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessage("\"" + text + "\" is no duration: write 500ms, 30s, 5m, 2h, 1d or an ISO-8601 duration"
                        + " such as PT30S");
    }
}
