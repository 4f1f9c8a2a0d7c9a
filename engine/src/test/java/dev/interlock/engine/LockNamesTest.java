// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names that a lock may have. */
class LockNamesTest extends EngineTest {
    private final Jvm one = jvm();

    private Throwable refusal(String name) {
        return ann.asks(() -> one.engine().getLock(name)).failure();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
    void aBlankNameIsRefused(String name) {
        assertThat(refusal(name)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("blank");
    }

    @Test
    void aNameMayHave512BytesAndNotOneMore() {
        assertThat(refusal("x".repeat(512))).isNull();
        assertThat(refusal("x".repeat(513)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("513");
        assertThat(refusal("\u00e9".repeat(256))).isNull();
        assertThat(refusal("\u00e9".repeat(257))).isInstanceOf(IllegalArgumentException.class);
        assertThat(refusal("\ud83d\udd12".repeat(128))).isNull();
        assertThat(refusal("\ud83d\udd12".repeat(129))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void halfOfASurrogatePairIsRefused() {
        for (String name : List.of("a\ud83db", "\udd12", "\udd12\ud83d")) {
            assertThat(refusal(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
        }
    }

    @Test
    void anyOtherCharacterMayBePartOfANameAndNamesAreComparedExactly() {
        List<String> names =
                List.of("a", "A", " a", "a ", "a\nb", "{a}", "*", "a:b", "\u0000", "\u00e9", "e\u0301", "\ud83d\udd12");
        List<DistributedLock> locks = names.stream().map(one.engine()::getLock).toList();
        ann.does(() -> locks.forEach(DistributedLock::lock)).value();
        assertThat(one.engine().core().cells().size()).isEqualTo(names.size());
        for (int i = 0; i < names.size(); i++) {
            assertThat(locks.get(i).name()).isEqualTo(names.get(i));
            assertThat(server.isFree(names.get(i))).isFalse();
        }
        ann.does(() -> locks.forEach(DistributedLock::unlock)).value();
    }

    @Test
    void namesThatAreNotInUseCostNothing() {
        ann.does(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        DistributedLock lock = one.engine().getLock("lock " + i);
                        lock.isHeldByCurrentThread();
                        if (i % 10 == 0) {
                            lock.lock();
                            lock.unlock();
                        }
                    }
                })
                .value();
        assertThat(one.engine().core().cells().size()).isZero();
    }
}
