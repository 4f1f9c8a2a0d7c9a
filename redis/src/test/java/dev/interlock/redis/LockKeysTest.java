// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeysTest {
    private final LockKeys keys = new LockKeys("app");

    @Test
    void allNamesOfALockShareOnePrefixAndOneHashTag() {
        assertThat(keys.lock("invoice:42")).isEqualTo("app:{invoice:42}");
        assertThat(keys.fence("invoice:42")).isEqualTo("app:{invoice:42}:fence");
        assertThat(keys.channel("invoice:42")).isEqualTo("app:{invoice:42}:freed");
        assertThat(keys.waiting("invoice:42")).isEqualTo("app:{invoice:42}:waiting");
    }

    @Test
    void namesOfOneHashHaveKeysOfTheirOwnHoweverOftenTheyTakeTurns() {
        assertThat("Aa").hasSameHashCodeAs("BB");
        for (int i = 0; i < 3; i++) {
            assertThat(keys.lock("Aa")).isEqualTo("app:{Aa}");
            assertThat(keys.lock("BB")).isEqualTo("app:{BB}");
        }
    }

    @Test
    void theChannelOfAClientIsNoneOfALock() {
        assertThat(keys.client("x")).isEqualTo("app:client:x");
    }

    @ParameterizedTest
    @CsvSource({"a}b, app:{a%7Db}", "{a}, app:{%7Ba%7D}", "100%, app:{100%25}", "'a b', app:{a%20b}", "안녕, app:{안녕}"})
    void whatCouldLeaveTheBracesIsEncoded(String name, String key) {
        assertThat(keys.lock(name)).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\tb", "a\u0000b", "a\u2028b", "a\u0085b"})
    void whatCouldBreakALineIsEncoded(String name) {
        assertThat(keys.lock(name)).matches("app:\\{a(%[0-9A-F]{2})+b}");
    }

    @Test
    void noNameReachesTheKeysOfAnother() {
        assertThat(keys.lock("a}:fence")).isNotEqualTo(keys.fence("a"));
        assertThat(keys.lock("a%7D")).isNotEqualTo(keys.lock("a}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"invoice:42", "a}b{", "100%", "a b\nc", "안녕 \uD83D\uDD12", "%7D"})
    void theNameOfALockIsReadFromItsKey(String name) {
        assertThat(keys.name(keys.lock(name))).contains(name);
        assertThat(keys.name(keys.fence(name))).isEmpty();
        assertThat(keys.name(keys.waiting(name))).isEmpty();
    }

    @Test
    void otherKeysAreNotThoseOfLocks() {
        assertThat(keys.name("other:{a}")).isEmpty();
        assertThat(keys.name(keys.factory("abc"))).isEmpty();
        assertThat(keys.name("app:{a%zz}")).contains("a%zz");
    }

    @Test
    void thePatternTakesThePrefixAsItIs() {
        assertThat(new LockKeys("a[1]*").pattern()).isEqualTo("a\\[1\\]\\*:{*}");
    }
}
