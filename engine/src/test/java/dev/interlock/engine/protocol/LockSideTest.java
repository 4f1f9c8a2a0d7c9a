// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.backend.LockNames;
import dev.interlock.engine.protocol.LockSide.Access;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockSideTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"a", "/a/b", "r1/x", "\uD800\uDF30rules", "\uD800\uDF30a/x", "\uDBFF\uDFFFr1/x", "\uFFFFr1/x"})
    void noNameThatAUserMayGiveIsTakenForASide(String name) {
        LockNames.check(name);
        assertThat(LockSide.isSide(name)).isFalse();
        assertThat(LockSide.of(name)).isEmpty();
        assertThat(LockSide.lockName(name)).isEqualTo(name);
    }

    @Test
    void aSideIsFoundAgainInItsKey() {
        LockSide side = new LockSide(Access.WRITE, "t1", "a/b");
        assertThat(LockSide.of(side.key())).isEqualTo(Optional.of(side));
        assertThat(LockSide.lockName(side.key())).isEqualTo("a/b");
    }
}
