// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
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

    @ParameterizedTest
    @ValueSource(strings = {"orders", "a{b}c", "{a}", "a{b", "a}b", "{}a", "a{}{b}", "a b\nc", "안녕 \uD83D\uDD12"})
    void plainKeysAreTheNameAndHaveTheirOthersInTheSameSlot(String name) {
        LockKeys plain = LockKeys.plain("app", "", "");
        assertThat(plain.lock(name)).isEqualTo(name);
        assertThat(plain.name(name)).contains(name);
        assertThat(plain.fence(name)).startsWith("app:{").isNotEqualTo(keys.fence(name));
        assertThat(List.of(plain.fence(name), plain.waiting(name), plain.channel(name), plain.condition(name, "x")))
                .extracting(HashSlot::of)
                .containsOnly(HashSlot.of(name));
        assertThat(plain.name(plain.fence(name))).isEmpty();
    }

    @Test
    void plainKeysStandBetweenWhatIsBeforeAndBehindThem() {
        LockKeys plain = LockKeys.plain("app", "x[1]:", ".lock");
        assertThat(plain.lock("a")).isEqualTo("x[1]:a.lock");
        assertThat(plain.pattern()).isEqualTo("x\\[1\\]:*.lock");
        assertThat(plain.name("x[1]:a.lock")).contains("a");
        assertThat(plain.name("x[1]:.lock")).isEmpty();
        assertThat(plain.name("x[1]:a")).isEmpty();
    }

    @Test
    void plainNamesThatDifferHaveOtherKeysThatDiffer() {
        LockKeys plain = LockKeys.plain("app", "", "");
        assertThat(plain.fence("a{b}")).isNotEqualTo(plain.fence("b")).isNotEqualTo(plain.fence("{b}a"));
        assertThat(plain.fence("condition:{b}")).isNotEqualTo(plain.condition("b", "{b}:fence"));
    }

    @Test
    void noPlainKeyIsAmongTheOthers() {
        LockKeys plain = LockKeys.plain("app", "", "");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plain.lock("app:{a}:plain:fence"))
                .withMessageContaining("another keyPrefix");
    }
}
