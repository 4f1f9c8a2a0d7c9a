// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.json.JsonParserFactory;

/** The metadata by which editors complete {@code interlock.} lists exactly the properties that exist. */
class ConfigurationMetadataTest {
    private static final Map<String, Object> METADATA = read();

    private static Map<String, Object> read() {
        // Those of other modules have the same name.
        String ours = InterlockProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        try (InputStream in = InterlockProperties.class
                .getClassLoader()
                .resources("META-INF/spring-configuration-metadata.json")
                .filter(url -> url.toString().contains(ours))
                .findFirst()
                .orElseThrow()
                .openStream()) {
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The names of all properties. */
    static Set<String> properties() {
        return byName("properties").keySet();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> byName(String group) {
        return ((List<Map<String, Object>>) METADATA.get(group))
                .stream()
                        .collect(Collectors.toMap(
                                entry -> (String) entry.get("name"),
                                Function.identity(),
                                (first, second) -> first,
                                TreeMap::new));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> hints(String name) {
        return ((List<Map<String, Object>>) byName("hints").get(name).get("values"))
                .stream().collect(Collectors.toMap(value -> (String) value.get("value"), value ->
                        (String) value.get("description")));
    }

    @Test
    void eachPropertyIsDescribed() {
        Map<String, Map<String, Object>> properties = byName("properties");
        assertThat(properties)
                .containsKeys(
                        "interlock.enabled",
                        "interlock.strategy",
                        "interlock.endpoints",
                        "interlock.client-bean",
                        "interlock.ssl.bundle",
                        "interlock.option",
                        "interlock.factories",
                        "interlock.locked.wait-time",
                        "management.endpoint.locks.access",
                        "management.health.interlock.enabled");
        properties.forEach((name, property) -> assertThat((String) property.get("description"))
                .as(name)
                .isNotBlank()
                .doesNotStartWith("The ")
                .endsWith("."));
    }

    @Test
    void theDefaultsAreThoseOfTheLibrary() {
        LockConfig defaults = LockConfig.builder().build();
        Map<String, Map<String, Object>> properties = byName("properties");
        Function<String, Object> shown =
                name -> properties.get("interlock." + name).get("defaultValue");

        assertThat(shown.apply("key-prefix")).isEqualTo(defaults.keyPrefix());
        assertThat(shown.apply("local-handoffs")).isEqualTo(defaults.localHandoffs());
        assertThat(shown.apply("renewal")).isEqualTo(defaults.lockDefaults().renewal());
        assertThat(shown.apply("interrupt-on-loss"))
                .isEqualTo(defaults.lockDefaults().interruptOnLoss());
        assertThat(DurationStyle.detectAndParse((String) shown.apply("lease")))
                .isEqualTo(defaults.lockDefaults().lease());
        assertThat(DurationStyle.detectAndParse((String) shown.apply("command-timeout")))
                .isEqualTo(defaults.commandTimeout());
        assertThat(DurationStyle.detectAndParse((String) shown.apply("wait-ceiling")))
                .isEqualTo(defaults.waitCeiling());
    }

    @Test
    void theStrategiesAndTheirOptionsAreOffered() {
        List<LockStrategyProvider> strategies = DistributedLocks.strategies();
        assertThat(hints("interlock.strategy").keySet())
                .containsExactlyInAnyOrderElementsOf(
                        strategies.stream().map(LockStrategyProvider::name).toList());

        Map<String, String> expected = new TreeMap<>();
        for (StrategyOption option :
                strategies.stream().flatMap(it -> it.options().stream()).toList()) {
            List<String> users = strategies.stream()
                    .filter(it ->
                            it.options().stream().anyMatch(other -> other.name().equals(option.name())))
                    .map(LockStrategyProvider::name)
                    .toList();
            expected.put(option.name(), "Option of " + String.join(", ", users) + ".");
        }
        assertThat(new TreeMap<>(hints("interlock.option.keys"))).isEqualTo(expected);
    }
}
