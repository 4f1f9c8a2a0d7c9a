// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.LockConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisEndpointTest {
    @ParameterizedTest
    @CsvSource({
        "redis://localhost, false, localhost, 6379, 0, , ",
        "redis://localhost/, false, localhost, 6379, 0, , ",
        "redis://localhost:/, false, localhost, 6379, 0, , ",
        "'  redis://localhost:7000\n', false, localhost, 7000, 0, , ",
        "REDIS://localhost, false, localhost, 6379, 0, , ",
        "rediss://cache.example.org:6380/15, true, cache.example.org, 6380, 15, , ",
        "redis://10.0.0.1:65535/0, false, 10.0.0.1, 65535, 0, , ",
        "redis://[::1]:7000/2, false, ::1, 7000, 2, , ",
        "redis://[fe80::1], false, fe80::1, 6379, 0, , ",
        "redis://:secret@localhost, false, localhost, 6379, 0, , secret",
        "redis://alice:secret@localhost, false, localhost, 6379, 0, alice, secret",
        "redis://alice:a:b@[::1]:1, false, ::1, 1, 0, alice, a:b",
        "redis://al%69ce:p%40ss%2Fw%3Ard%25%23%3F%2C+x@localhost, false, localhost, 6379, 0, alice, 'p@ss/w:rd%#?,+x'",
        "redis://:%C3%A9t%C3%A9@localhost, false, localhost, 6379, 0, , été",
    })
    void allFormsAreUnderstood(
            String uri, boolean tls, String host, int port, int database, String username, String password) {
        RedisEndpoint endpoint = RedisEndpoint.parse(uri);

        assertThat(endpoint.tls()).isEqualTo(tls);
        assertThat(endpoint.host()).isEqualTo(host);
        assertThat(endpoint.port()).isEqualTo(port);
        assertThat(endpoint.database()).isEqualTo(database);
        assertThat(endpoint.username().orElse(null)).isEqualTo(username);
        assertThat(endpoint.password().orElse(null)).isEqualTo(password);
    }

    @ParameterizedTest
    @CsvSource({
        "redis://localhost, redis://localhost:6379",
        "rediss://localhost:7000/3, rediss://localhost:7000/3",
        "redis://[::1]:7000, redis://[::1]:7000",
        "redis://alice:secret@localhost, redis://***@localhost:6379",
    })
    void theTextFormHasNeitherUserNorPassword(String uri, String text) {
        assertThat(RedisEndpoint.parse(uri)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        "'', does not begin with redis://",
        "'redis://local host', is no URI",
        "localhost:6379, does not begin with redis://",
        "http://localhost, does not begin with redis://",
        "redis:localhost, names no host",
        "redis:///1, names no host",
        "redis://my_host:6379, letters",
        "redis://localhost:port, names no host",
        "redis://localhost:0, its port is not between 1 and 65535",
        "redis://localhost:65536, its port is not between 1 and 65535",
        "redis://localhost/one, a database number",
        "redis://localhost/1/2, a database number",
        "redis://localhost/1234567, a database number",
        "redis://localhost?timeout=1, a query or fragment",
        "redis://localhost#x, a query or fragment",
        "redis://alice@localhost, a user but no password",
        "redis://:@localhost, its password is empty",
        "redis://alice:@localhost, its password is empty",
    })
    void anythingElseIsRefusedWithTheReason(String uri, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisEndpoint.parse(uri))
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://alice:hunter2@",
                "redis://:hunter2",
                "redis://alice:hunter2",
                "redis://alice:hunter2@localhost/x",
                "redis://alice:hunter2@localhost:0",
                "redis://alice:hunter2@localhost?x",
                "redis://alice:hunter2@local host",
                "redis://alice:hunter2@my_host",
                "redis://alice:hunter2@x@localhost",
                "redis://alice:hunter2/x@localhost",
                "redis://alice:hunter2#x@localhost",
                "redis://alice:x#hunter2@localhost",
                "redis://alice:x?hunter2@localhost",
                "redis://alice/hunter2@localhost",
                "redis://alice:hunter2%@localhost",
                "redis://alice:hunter2%zz@localhost",
                "redis://alice:hunter2 @localhost",
                "redis://alice:hunter2^@localhost",
                "redis://alice:hunter2@[::1",
                "redis://hunter2@localhost",
                "http://alice:hunter2@localhost",
                "alice:hunter2@localhost",
                "hunter2",
                "redis://localhost/hunter2",
                "redis://localhost?password=hunter2",
            })
    void noErrorTellsThePassword(String uri) {
        assertThat(stackTrace(catchThrowable(() -> RedisEndpoint.parse(uri))))
                .contains("IllegalArgumentException")
                .doesNotContain("hunter2");
    }

    @Test
    void aUriAndItsTextAreTheSameEndpoint() {
        assertThat(RedisEndpoint.of(URI.create("rediss://alice:s%2Fcret@localhost:7000/1")))
                .isEqualTo(RedisEndpoint.parse("rediss://alice:s%2Fcret@localhost:7000/1"));
    }

    @Test
    void aCommaOfAPasswordStandsForItself() {
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(LockConfig.of("redis://:a,b@h,redis://:c%2Cd@i"));

        assertThat(endpoints).extracting(RedisEndpoint::host).containsExactly("h", "i");
        assertThat(endpoints)
                .extracting(endpoint -> endpoint.password().orElseThrow())
                .containsExactly("a,b", "c,d");
    }

    @ParameterizedTest
    @CsvSource({
        "http://alice:hunter2@localhost, 'endpoint \"http://***@localhost\" does not begin with redis:// or rediss://'",
        "'redis-sentinel://:hunter2@h1,h2/0#master', 'endpoint \"redis-sentinel://***@h1,h2/0#master\" does not begin with'",
        "'redis://:hunter2@a,b', 'endpoint \"redis://***@a,b\" names no host'",
        "'redis://a,b', 'write redis:// or rediss:// before each of several servers'",
        "redis://alice:hunter2@my_host, 'endpoint \"redis://***@my_host\" names no host'",
    })
    void whatIsNoEndpointOfRedisIsNamedWithoutItsPassword(String uri, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisEndpoint.allOf(LockConfig.of(uri)))
                .withMessageContaining(message)
                .withMessageNotContaining("hunter2");
    }

    @Test
    void equalityCoversEveryPart() {
        RedisEndpoint endpoint = RedisEndpoint.parse("redis://alice:secret@localhost:7000/1");

        assertThat(endpoint)
                .isEqualTo(RedisEndpoint.parse("redis://alice:secret@localhost:7000/1"))
                .hasSameHashCodeAs(RedisEndpoint.parse("redis://alice:secret@localhost:7000/1"));
        for (String other : new String[] {
            "rediss://alice:secret@localhost:7000/1",
            "redis://alice:secret@elsewhere:7000/1",
            "redis://alice:secret@localhost:7001/1",
            "redis://alice:secret@localhost:7000/2",
            "redis://bob:secret@localhost:7000/1",
            "redis://alice:other@localhost:7000/1"
        }) {
            assertThat(endpoint).isNotEqualTo(RedisEndpoint.parse(other));
        }
        assertThat(endpoint).isNotEqualTo("redis://alice:secret@localhost:7000/1");
    }

    @Test
    void nullIsRefused() {
        assertThatNullPointerException().isThrownBy(() -> RedisEndpoint.parse(null));
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://user:12345/6@host", "redis://s3cret/@host", "redis://user:12345?6@host"})
    void aPasswordThatIsTakenForHostOrPortIsNotQuoted(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisEndpoint.parse(uri))
                .withMessageNotContaining("12345")
                .withMessageNotContaining("s3cret")
                .withMessageContaining("percent-encode");
    }
}
