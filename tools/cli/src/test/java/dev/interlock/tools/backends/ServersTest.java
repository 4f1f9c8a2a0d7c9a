// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServersTest {
    private static final LockStrategyProvider TRIO = new TestStrategies.TrioStrategyProvider();
    private static final Servers EMBEDDED = new Servers(List.of());

    private static Servers named(int servers) {
        return new Servers(IntStream.rangeClosed(1, servers)
                .mapToObj(port -> URI.create("redis://127.0.0.1:" + port))
                .toList());
    }

    @Test
    void eachInstalledStrategySaysWhatItIsForAndWhatItWants() {
        Map<String, LockStrategyProvider> ours = DistributedLocks.strategies().stream()
                .filter(provider -> !provider.name().startsWith("test-"))
                .collect(Collectors.toMap(LockStrategyProvider::name, provider -> provider));

        assertThat(ours.values())
                .allSatisfy(provider -> assertThat(provider.profile().purpose())
                        .as(provider.name())
                        .isNotBlank());
        assertThat(ours).allSatisfy((name, provider) -> {
            boolean redlock = name.equals("redlock");
            assertThat(provider.profile().servers())
                    .as(name)
                    .isEqualTo(redlock ? ServerNeeds.independent(3, 5) : ServerNeeds.ONE);
            assertThat(ConfiguredStrategy.trialOptions(provider))
                    .as(name)
                    .isEqualTo(redlock ? Map.of("cold-start", "trust", "node-timeout", "2s") : Map.of());
            assertThat(provider.options())
                    .as(name)
                    .anySatisfy(option -> assertThat(option.mixedValue()).isPresent());
        });
        assertThat(ours).containsKeys("redlock", "set-nx-px");
    }

    @Test
    void aStrategyThatWantsThreeServersGetsThreeToBeMeasuredOn() {
        try (Backend backend = EMBEDDED.backend(TRIO)) {
            assertThat(LockConfig.of(backend.endpoints()).endpoints())
                    .hasSize(3)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void aStrategyThatWantsThreeServersGetsThreeForARule() throws Exception {
        try (LockHarness harness = EMBEDDED.harness(new ConfiguredStrategy(TRIO, Map.of()))) {
            assertThat(harness.config().endpoints()).hasSize(3).doesNotHaveDuplicates();
            assertThat(harness.config().option("temper")).contains("bold");
        }
    }

    @ParameterizedTest
    @CsvSource({"5, 3", "3, 3", "2, 2"})
    void ofTheServersThatTheUserNamesAStrategyGetsWhatItIsMeantForOrItsMinimum(int named, int used) {
        try (Backend backend = named(named).backend(TRIO)) {
            assertThat(LockConfig.of(backend.endpoints()).endpoints()).hasSize(used);
        }
    }

    @Test
    void fewerServersThanTheMinimumAreAnError() {
        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> named(1).backend(TRIO))
                .withMessageContaining("it needs 2 servers and --redis names 1");
    }

    @Test
    void aStrategyRunsWithTheOptionsThatItWantsInTrialsUnlessTheUserSetsThem() {
        assertThat(new ConfiguredStrategy(TRIO, Map.of()).settings())
                .isEqualTo(Map.of("colour", "red", "temper", "bold"));
        assertThat(new ConfiguredStrategy(TRIO, Map.of("colour", "green")).settings())
                .isEqualTo(Map.of("colour", "green", "temper", "bold"));
    }
}
