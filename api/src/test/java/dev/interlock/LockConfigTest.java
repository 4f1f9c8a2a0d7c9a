// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.spi.StrategyOption;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockConfigTest {
    @Test
    void endpointsAloneLeaveEverythingElseAtItsDefault() {
        LockConfig config = LockConfig.of("redis://a, rediss://b:7000");

        assertThat(config.endpoints()).containsExactly(URI.create("redis://a"), URI.create("rediss://b:7000"));
        assertThat(config.strategy()).isEmpty();
        assertThat(config.keyPrefix()).isEqualTo("interlock");
        assertThat(config.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.waitCeiling()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.localHandoffs()).isEqualTo(16);
        assertThat(config.lockDefaults()).isEqualTo(LockOptions.defaults());
        assertThat(config.optionNames()).isEmpty();
        assertThat(config.option("drift")).isEmpty();
    }

    @Test
    void aBuilderStartsFromTheConfigurationItWasMadeOfAndLeavesItAlone() {
        LockConfig config = LockConfig.builder()
                .strategy(" redlock ")
                .endpoints("redis://a")
                .keyPrefix("shop:locks")
                .commandTimeout(Duration.ofMillis(200))
                .waitCeiling(Duration.ofMillis(300))
                .localHandoffs(0)
                .lockDefaults(LockOptions.builder().renewal(false).build())
                .option("Drift.Factor", "0.01")
                .build();

        LockConfig.Builder builder = config.toBuilder();
        assertThat(builder.build()).isEqualTo(config).hasSameHashCodeAs(config);
        LockConfig other = builder.option("drift-factor", "0.02").build();
        assertThat(config.strategy()).contains("redlock");
        assertThat(config.option("drift_factor")).contains("0.01");
        assertThat(other.option("driftFactor")).contains("0.02");
        assertThat(other).isNotEqualTo(config);
        assertThat(config.optionNames()).containsExactly("Drift.Factor");
        assertThat(other.optionNames()).containsExactly("drift-factor");
    }

    @Test
    void aThreadFactoryIsCarriedAndNotShown() {
        ThreadFactory threads = new ThreadFactory() {
            @Override
            public Thread newThread(Runnable task) {
                return new Thread(task);
            }

            @Override
            public String toString() {
                return "hunter2";
            }
        };
        LockConfig config = LockConfig.builder().threadFactory(threads).build();

        assertThat(LockConfig.of("redis://a").threadFactory()).isEmpty();
        assertThat(config.threadFactory()).containsSame(threads);
        assertThat(config.toBuilder().build()).isEqualTo(config).hasSameHashCodeAs(config);
        assertThat(config).isNotEqualTo(LockConfig.builder().build());
        assertThat(config.toString()).doesNotContain("hunter2");
    }

    @Test
    void aListOfEndpointsIsCopied() {
        List<URI> endpoints = new ArrayList<>(List.of(URI.create("redis://a")));
        LockConfig config = LockConfig.builder().endpoints(endpoints).build();
        endpoints.clear();

        assertThat(config.endpoints()).hasSize(1).isUnmodifiable();
        assertThat(config.optionNames()).isUnmodifiable();
    }

    @Test
    void listenersAreKeptInOrderAndCarriedToACopy() {
        LockListener one = new LockListener() {};
        LockListener two = new LockListener() {};
        LockConfig config = LockConfig.builder().listener(one).listener(two).build();

        assertThat(config.listeners()).containsExactly(one, two).isUnmodifiable();
        LockConfig copy = config.toBuilder().build();
        assertThat(copy.listeners()).containsExactly(one, two);
        assertThat(copy).isEqualTo(config).hasSameHashCodeAs(config);

        LockConfig more = config.toBuilder().listener(new LockListener() {}).build();
        assertThat(more).isNotEqualTo(config);
        assertThat(config.listeners()).hasSize(2);
    }

    @Test
    void theTextFormTellsTheNumberOfListenersAndNothingElseOfThem() {
        LockListener listener = new LockListener() {
            @Override
            public String toString() {
                return "hunter2";
            }
        };
        LockConfig config = LockConfig.builder().listener(listener).build();

        assertThat(config.toString()).contains("listeners=1").doesNotContain("hunter2");
    }

    @Test
    void theTextFormTellsNeitherPasswordsNorValuesOfOptions() {
        LockConfig config = LockConfig.builder()
                .strategy("redlock")
                .endpoints("redis://alice:hunter2@a,rediss://:hunter2@b")
                .option("token", "hunter2")
                .build();

        assertThat(config.toString())
                .doesNotContain("hunter2", "alice")
                .contains("redlock", "redis://***@a", "rediss://***@b", "token", "lease=PT30S");
    }

    @Test
    void aBlankStrategyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().strategy(" "))
                .withMessageContaining("strategy is blank");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a{b}", "a\n", "é", "a*"})
    void aKeyPrefixThatPatternsAndHashTagsCouldTripOverIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().keyPrefix(prefix))
                .withMessageContaining("keyPrefix cannot be used");
    }

    @Test
    void aKeyPrefixMayBeAHundredCharactersLong() {
        assertThat(LockConfig.builder().keyPrefix("x".repeat(100)).build().keyPrefix())
                .hasSize(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().keyPrefix("x".repeat(101)));
    }

    static Duration[] durationsOutOfBounds() {
        return new Duration[] {
            Duration.ZERO,
            Duration.ofMillis(-5),
            Duration.ofNanos(999_999),
            Duration.ofHours(1).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE)
        };
    }

    @ParameterizedTest
    @MethodSource("durationsOutOfBounds")
    void timesOutOfBoundsAreRefusedWithTheBounds(Duration time) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().commandTimeout(time))
                .withMessage("commandTimeout is " + time + ": it must lie between PT0.001S and PT1H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().waitCeiling(time))
                .withMessage("waitCeiling is " + time + ": it must lie between PT0.001S and PT1H");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 10_001, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void aNumberOfHandOffsOutOfBoundsIsRefused(int handoffs) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().localHandoffs(handoffs))
                .withMessage("localHandoffs is " + handoffs + ": it must lie between 0 and 10000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "._-"})
    void anOptionWithoutANameIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().option(name, "1"))
                .withMessage("the name of an option is blank");
    }

    static List<ThrowingCallable> callsWithNull() {
        LockConfig.Builder builder = LockConfig.builder();
        return List.of(
                () -> LockConfig.of(null),
                () -> builder.strategy(null),
                () -> builder.endpoints((String) null),
                () -> builder.endpoints((List<URI>) null),
                () -> builder.endpoint((String) null),
                () -> builder.endpoint((URI) null),
                () -> LockConfig.mask(null),
                () -> builder.keyPrefix(null),
                () -> builder.commandTimeout(null),
                () -> builder.waitCeiling(null),
                () -> builder.lockDefaults(null),
                () -> builder.listener(null),
                () -> builder.threadFactory(null),
                () -> builder.option(null, "1"),
                () -> builder.option("a", null));
    }

    @ParameterizedTest
    @MethodSource("callsWithNull")
    void nullIsRefused(ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call);
    }

    @Test
    void loadingReadsTheFileThatTheContextClassLoaderFinds() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (TestClassPath path =
                new TestClassPath().with("interlock.properties", "interlock.strategy=from-a-file\n")) {
            Thread.currentThread().setContextClassLoader(path.loader());
            assertThat(LockConfig.load().strategy()).contains("from-a-file");

            Thread.currentThread().setContextClassLoader(null);
            assertThat(LockConfig.load().strategy()).isEmpty();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void aStrategyThatDoesNotKnowAnOptionListsThoseItKnows() {
        LockConfig config = LockConfig.builder().option("Drfit", "1").build();

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> config.requireKnownOptions(new TestStrategyProvider()))
                .withMessage("strategy \"test-strategy\" has no option \"Drfit\"; it has: drift-factor");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> config.requireKnownOptions(new TestStrategyProvider() {
                    @Override
                    public List<StrategyOption> options() {
                        return List.of();
                    }
                }))
                .withMessage("strategy \"test-strategy\" has no option \"Drfit\"; it has none");
    }
}
