// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The endpoints of a {@link LockConfig}. */
class EndpointsTest {
    private static List<URI> uris(String... endpoints) {
        return List.of(endpoints).stream().map(URI::create).toList();
    }

    @Test
    void aListIsSplitAtCommasBeforeASchemeAndNowhereElse() {
        assertThat(LockConfig.of("redis-sentinel://h1,h2:26379/0#master").endpoints())
                .isEqualTo(uris("redis-sentinel://h1,h2:26379/0#master"));
        assertThat(LockConfig.of("redis-sentinel://h1,h2/#one,redis-cluster://a:1,b:2 ,\n etcd+tls://c")
                        .endpoints())
                .isEqualTo(uris("redis-sentinel://h1,h2/#one", "redis-cluster://a:1,b:2", "etcd+tls://c"));
        assertThat(LockConfig.of(" redis://:a,b@h , rediss://i ").endpoints())
                .isEqualTo(uris("redis://:a,b@h", "rediss://i"));
    }

    @Test
    void aPropertyIsSplitInTheSameWay() {
        Properties properties = new Properties();
        properties.setProperty("interlock.endpoints", "redis-sentinel://h1,h2/#master, redis://a");

        assertThat(new ConfigSources(null, properties, Map.of()).read().endpoints())
                .isEqualTo(uris("redis-sentinel://h1,h2/#master", "redis://a"));
    }

    @Test
    void anySchemeIsTakenSinceAStrategyMayHaveOneOfItsOwn() {
        assertThat(LockConfig.of("made-up+1.0://host").endpoints()).isEqualTo(uris("made-up+1.0://host"));
    }

    @Test
    void oneServerIsAddedAndAListReplacesThoseThatWereThere() {
        LockConfig.Builder builder = LockConfig.builder().endpoint("redis://a").endpoint(URI.create("redis://b,c"));
        assertThat(builder.build().endpoints()).isEqualTo(uris("redis://a", "redis://b,c"));

        assertThat(builder.endpoints("redis://d")
                        .endpoint(" redis://e ")
                        .build()
                        .endpoints())
                .isEqualTo(uris("redis://d", "redis://e"));
        assertThat(builder.endpoints(uris("redis://f")).build().endpoints()).isEqualTo(uris("redis://f"));
    }

    @Test
    void oneServerIsOneUriThoughItsTextHasACommaBeforeAScheme() {
        assertThat(LockConfig.builder().endpoint("s://h/x,t://i").build().endpoints())
                .isEqualTo(uris("s://h/x,t://i"));
    }

    @Test
    void configurationsAreEqualIfTheirUrisAre() {
        LockConfig config = LockConfig.of("redis://:a@h");

        assertThat(LockConfig.of("REDIS://:a@H")).isEqualTo(config).hasSameHashCodeAs(config);
        assertThat(LockConfig.of("redis://:b@h")).isNotEqualTo(config);
        assertThat(LockConfig.of("redis://:a@h:6379")).isNotEqualTo(config);
        assertThat(config.toBuilder().build()).isEqualTo(config);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "redis://a,", ",redis://a", "redis://a,,redis://b", "redis://a, ,redis://b"})
    void aBlankEndpointIsRefused(String endpoints) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.of(endpoints))
                .withMessageStartingWith("an endpoint is blank: write scheme://host:port");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, does not begin with a scheme: write scheme://host:port",
        "localhost:6379, does not begin with a scheme: write scheme://host:port",
        "redis:localhost, does not begin with a scheme: write scheme://host:port",
        "//localhost, does not begin with a scheme: write scheme://host:port",
        "redis://local host, is no URI (Illegal character",
        "redis://, is no URI (Expected authority",
    })
    void whatIsNoUriWithASchemeIsRefusedWithAWordThatHelps(String endpoint, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.of(endpoint))
                .withMessageContaining(message)
                .withMessageContaining("redis://localhost:6379");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().endpoint(endpoint))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "redis:localhost", "//localhost", ""})
    void aUriWithoutASchemeIsRefused(String endpoint) {
        URI uri = URI.create(endpoint);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().endpoint(uri))
                .withMessageContaining("does not begin with a scheme");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockConfig.builder().endpoints(List.of(uri)))
                .withMessageContaining("does not begin with a scheme");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hunter2",
                "alice:hunter2@localhost",
                "redis://alice:hunter2@local host",
                "redis://alice:hunter2^@localhost",
                "redis://alice:hunter2 @localhost",
                "redis://alice:hunter2%@localhost",
                "redis://alice:hunter2%zz@localhost",
                "redis://alice:hunter2@[::1",
                "redis://a,rediss://:hunter2@b c",
                "redis://:hunter2@a,"
            })
    void noErrorTellsThePassword(String endpoints) {
        Throwable thrown = catchThrowable(() -> LockConfig.of(endpoints));
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace, true));

        assertThat(trace.toString()).contains("IllegalArgumentException").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://localhost, redis://localhost",
        "redis://localhost:7000/3, redis://localhost:7000/3",
        "redis://[fe80::1]:7000, redis://[fe80::1]:7000",
        "unix:///run/redis.sock, unix:///run/redis.sock",
        "redis://alice:hunter2@localhost/2, redis://***@localhost/2",
        "redis://:hunter2@[::1]:1, redis://***@[::1]:1",
        "redis://hunter2@localhost, redis://***@localhost",
        "redis://a:hunter2@my_host, redis://***@my_host",
        "redis://a:hunter2@x@localhost, redis://***@localhost",
        "'redis-sentinel://a:hunter2@h1,h2:2/0#master', 'redis-sentinel://***@h1,h2:2/0#master'",
        "'s://a:hunter2@h1,b:hunter2@h2', 's://***@h2'",
        "redis://localhost/1?password=hunter2, redis://localhost/1?***",
        "redis://a:hunter2@localhost?x=y, redis://***@localhost?***",
    })
    void userPasswordAndQueryAreMasked(String endpoint, String shown) {
        assertThat(LockConfig.mask(URI.create(endpoint))).isEqualTo(shown);
        assertThat(LockConfig.of(endpoint).toString()).contains("endpoints=[" + shown + "],");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://alice:hunter2",
                "redis://:hunter2",
                "redis://alice:hunter2/x@localhost",
                "redis://alice:hunter2#x@localhost",
                "redis://alice:hunter2?x@localhost",
                "redis://alice:x#hunter2@localhost",
                "redis://alice:x?hunter2@localhost",
                "redis://alice/hunter2@localhost",
                "redis://hunter2/x@localhost",
                "redis://user:12345/hunter2@host",
                "redis://user:a@hunter2/x@host",
                "redis://a:b@hunter2:x"
            })
    void nothingButTheSchemeIsShownWhereItIsUnclearWhatIsThePassword(String endpoint) {
        assertThat(LockConfig.mask(URI.create(endpoint))).isEqualTo("redis://***");
        assertThat(LockConfig.of(endpoint).toString()).doesNotContain("hunter2");
    }

    @Test
    void whatHasNoSchemeOrNoAuthorityIsMaskedToo() {
        assertThat(LockConfig.mask(URI.create("redis:hunter2"))).doesNotContain("hunter2");
        assertThat(LockConfig.mask(URI.create("//a:hunter2@host"))).doesNotContain("hunter2");
    }
}
