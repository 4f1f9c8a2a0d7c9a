// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the rules about passwords find the passwords of endpoints, and add some where there are none. */
class EndpointPasswordsTest {
    @Test
    void aPasswordIsLookedForAsItIsWrittenAndAsItIsUsed() {
        LockConfig config =
                LockConfig.of("redis://a:s%2Fcret@h,redis://h,redis://b@h,s://u:x+y:z@h1,h2:1/#m,redis://a:@h");

        assertThat(FaultRules.passwords(config)).containsExactly("s%2Fcret", "s/cret", "x+y:z");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://h, redis://LOGIN@h",
        "rediss://[::1]:7000/2, rediss://LOGIN@[::1]:7000/2",
        "'redis-sentinel://h1,h2:1/0#master', 'redis-sentinel://LOGIN@h1,h2:1/0#master'",
        "redis://user@h/1, redis://LOGIN@h/1",
        "redis://user:secret@h, redis://user:secret@h",
    })
    void anEndpointWithoutAPasswordGetsOneAndKeepsTheRest(String endpoint, String expected) {
        LockConfig config = FaultRules.withPasswords(LockConfig.builder().endpoint(endpoint))
                .build();

        assertThat(config.endpoints())
                .containsExactly(URI.create(expected.replace("LOGIN", "conformance:hush-hush-x7Q2-unused")));
        assertThat(FaultRules.passwords(config)).hasSize(1);
    }
}
