// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessagesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "to redis://alice:se,cret@a:1 | to redis://***@a:1",
                "redis://a:1,rediss://:secret@b:2 and more | redis://a:1,rediss://***@b:2 and more",
                "redis-cluster://alice:secret@a:1,b:2 | redis-cluster://***@a:1,b:2",
                "redis-cluster://:secret@a,redis-cluster://:secret@b | redis-cluster://***@a,redis-cluster://***@b",
                "rediss-cluster://:secret@a | rediss-cluster://***@a",
                "redis-sentinel://:secret@a,b/0?sentinelUsername=secret&sentinelPassword=secret#m | redis-sentinel://***@a,b/0?sentinelUsername=***&sentinelPassword=***#m",
                "rediss-sentinel://a,b/0?sentinelPassword=secret#m | rediss-sentinel://a,b/0?sentinelPassword=***#m",
                "nobody@example.org | nobody@example.org",
            })
    void usersAndPasswordsAreHiddenAndHostsAreNot(String text, String shown) {
        assertThat(Messages.withoutPasswords(text)).isEqualTo(shown);
    }
}
