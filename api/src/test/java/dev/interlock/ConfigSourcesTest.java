// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigSourcesTest {
    private static final String FILE = "interlock.properties";

    private TestClassPath path;

    @BeforeEach
    void makeClassPath() throws IOException {
        path = new TestClassPath();
    }

    @AfterEach
    void deleteClassPath() throws IOException {
        path.close();
    }

    @Test
    void withoutAnySourceTheDefaultsApply() {
        assertThat(new ConfigSources(null, new Properties(), Map.of()).read())
                .isEqualTo(LockConfig.builder().build());
    }

    @Test
    void everySettingCanBeGivenInTheFile() throws IOException {
        LockConfig config = read("""
                interlock.strategy = redlock
                interlock.endpoints = redis://a, redis://b
                interlock.key-prefix = shop
                interlock.command-timeout = 100ms
                interlock.wait-ceiling = 2s
                interlock.local-handoffs = 3
                interlock.lease = 5s
                interlock.renewal = FALSE
                interlock.max-hold = 1h
                interlock.interrupt-on-loss = true
                interlock.option.drift.factor = é
                """, Map.of(), Map.of());

        assertThat(config).isEqualTo(everySetting("drift.factor"));
        assertThat(config.optionNames()).containsExactly("drift.factor");
    }

    @Test
    void everySettingCanBeGivenAsSystemProperty() throws IOException {
        Map<String, String> properties = Map.ofEntries(
                Map.entry("interlock.strategy", "redlock"),
                Map.entry("interlock.endpoints", "redis://a, redis://b"),
                Map.entry("interlock.key-prefix", "shop"),
                Map.entry("interlock.command-timeout", "100ms"),
                Map.entry("interlock.wait-ceiling", "2s"),
                Map.entry("interlock.local-handoffs", "3"),
                Map.entry("interlock.lease", "5s"),
                Map.entry("interlock.renewal", "false"),
                Map.entry("interlock.max-hold", "1h"),
                Map.entry("interlock.interrupt-on-loss", "true"),
                Map.entry("interlock.option.driftFactor", "é"));

        assertThat(read("", properties, Map.of())).isEqualTo(everySetting("driftFactor"));
    }

    @Test
    void everySettingCanBeGivenInTheEnvironment() throws IOException {
        Map<String, String> environment = Map.ofEntries(
                Map.entry("INTERLOCK_STRATEGY", "redlock"),
                Map.entry("INTERLOCK_ENDPOINTS", "redis://a, redis://b"),
                Map.entry("INTERLOCK_KEY_PREFIX", "shop"),
                Map.entry("INTERLOCK_COMMAND_TIMEOUT", "100ms"),
                Map.entry("INTERLOCK_WAIT_CEILING", "2s"),
                Map.entry("INTERLOCK_LOCAL_HANDOFFS", "3"),
                Map.entry("INTERLOCK_LEASE", "5s"),
                Map.entry("INTERLOCK_RENEWAL", "false"),
                Map.entry("INTERLOCK_MAX_HOLD", "1h"),
                Map.entry("INTERLOCK_INTERRUPT_ON_LOSS", "true"),
                Map.entry("INTERLOCK_OPTION_DRIFT_FACTOR", "é"));

        assertThat(read("", Map.of(), environment)).isEqualTo(everySetting("drift-factor"));
    }

    private static LockConfig everySetting(String option) {
        return LockConfig.builder()
                .strategy("redlock")
                .endpoints("redis://a,redis://b")
                .keyPrefix("shop")
                .commandTimeout(Duration.ofMillis(100))
                .waitCeiling(Duration.ofSeconds(2))
                .localHandoffs(3)
                .lockDefaults(LockOptions.builder()
                        .lease(Duration.ofSeconds(5))
                        .renewal(false)
                        .maxHold(Duration.ofHours(1))
                        .interruptOnLoss(true)
                        .build())
                .option(option, "é")
                .build();
    }

    @Test
    void theEnvironmentWinsOverSystemPropertiesAndTheseOverTheFile() throws IOException {
        LockConfig config = read(
                "interlock.strategy=file\ninterlock.key-prefix=file\ninterlock.lease=1s\n",
                Map.of("interlock.strategy", "property", "interlock.key-prefix", "property"),
                Map.of("INTERLOCK_STRATEGY", "environment"));

        assertThat(config.strategy()).contains("environment");
        assertThat(config.keyPrefix()).isEqualTo("property");
        assertThat(config.lockDefaults().lease()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource({
        "drift.factor, DRIFT_FACTOR",
        "drift-factor, DRIFTFACTOR",
        "driftFactor, DRIFT_FACTOR",
        "DRIFT_FACTOR, DRIFTFACTOR"
    })
    void anOptionReplacesTheSameOptionOfALowerSourceHoweverItIsSpelled(String property, String variable)
            throws IOException {
        LockConfig config = read(
                "interlock.option." + property + "=file",
                Map.of(),
                Map.of("INTERLOCK_OPTION_" + variable, "environment"));

        assertThat(config.option("drift-factor")).contains("environment");
        assertThat(config.optionNames()).hasSize(1);
    }

    @Test
    void oneOptionSpelledTwiceInOneSourceIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("interlock.option.a.b=1\ninterlock.option.a-b=2\n", Map.of(), Map.of()))
                .withMessage("\"interlock.option.a.b\" in " + path.url(FILE)
                        + ": it means the same as \"interlock.option.a-b\" in " + path.url(FILE)
                        + "; drop one of the two");
    }

    @ParameterizedTest
    @CsvSource({"interlock.leese", "interlock.", "lease", "interlock.Lease", "interlock.options.drift"})
    void anUnknownNameInTheFileIsAnErrorThatListsTheKnownOnes(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(name + "=1s", Map.of(), Map.of()))
                .withMessageStartingWith(
                        "\"" + name + "\" in " + path.url(FILE) + ": there is no such setting; there are")
                .withMessageContainingAll("interlock.strategy,", "interlock.max-hold", "interlock.option.<name>");
    }

    @Test
    void unknownNamesElsewhereAreLeftAlone() throws IOException {
        assertThat(read(
                        "",
                        Map.of("interlock.test.redis", "x", "lease", "x"),
                        Map.of("INTERLOCK_HOME", "x", "LEASE", "x", "INTERLOCK_", "x", "INTERLOCK_OPTION", "x")))
                .isEqualTo(LockConfig.builder().build());
    }

    @ParameterizedTest
    @CsvSource({
        "strategy, STRATEGY, ' ', strategy is blank",
        "endpoints, ENDPOINTS, localhost, does not begin with a scheme",
        "key-prefix, KEY_PREFIX, {x}, keyPrefix cannot be used",
        "command-timeout, COMMAND_TIMEOUT, 0s, commandTimeout is PT0S",
        "wait-ceiling, WAIT_CEILING, 2h, waitCeiling is PT2H",
        "local-handoffs, LOCAL_HANDOFFS, many, '\"many\" is no whole number'",
        "lease, LEASE, 10, '\"10\" is no duration'",
        "renewal, RENEWAL, yes, '\"yes\" is neither true nor false'",
        "max-hold, MAX_HOLD, 8d, maxHold is PT192H",
        "interrupt-on-loss, INTERRUPT_ON_LOSS, '', '\"\" is neither true nor false'",
        "option.-, OPTION__, 1, the name of an option is blank",
        "max-hold, MAX_HOLD, 1s, maxHold (PT1S) is shorter than lease (PT30S)",
    })
    void everyErrorNamesItsSource(String setting, String variable, String value, String message) {
        String property = "interlock." + setting;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(property + "=" + value, Map.of(), Map.of()))
                .withMessageStartingWith("\"" + property + "\" in " + path.url(FILE) + ": ")
                .withMessageContaining(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("", Map.of(property, value), Map.of()))
                .withMessageStartingWith("system property " + property + ": ")
                .withMessageContaining(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("", Map.of(), Map.of("INTERLOCK_" + variable, value)))
                .withMessageStartingWith("environment variable INTERLOCK_" + variable + ": ")
                .withMessageContaining(message);
    }

    @Test
    void twoSettingsThatDoNotGoTogetherAreBothNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("interlock.max-hold=1s", Map.of(), Map.of("INTERLOCK_LEASE", "2s")))
                .withMessageStartingWith("\"interlock.max-hold\" in " + path.url(FILE)
                        + ", environment variable INTERLOCK_LEASE: maxHold (PT1S) is shorter than lease (PT2S)");
    }

    @Test
    void aFileThatIsNoPropertiesFileIsAnErrorThatNamesIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("interlock.strategy=\\u00", Map.of(), Map.of()))
                .withMessageStartingWith(path.url(FILE) + ": ");
    }

    @Test
    void aFileThatCannotBeReadIsAnErrorThatNamesIt() {
        ConfigSources sources = new ConfigSources(path.url("missing"), new Properties(), Map.of());

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(sources::read)
                .withMessage("cannot read " + path.url("missing"));
    }

    private LockConfig read(String file, Map<String, String> properties, Map<String, String> environment)
            throws IOException {
        path.with(FILE, file);
        Properties system = new Properties();
        system.putAll(properties);
        return new ConfigSources(path.url(FILE), system, environment).read();
    }
}
