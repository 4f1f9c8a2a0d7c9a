// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.joint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The lists that count in each configuration. */
class ConfigurationTest {
    private static final Configuration FIRST = Configuration.founding(List.of("a:1", "b:2", "c:3"));

    @Test
    void whileANodeIsReplacedTheOldAndTheNewListCount() {
        Configuration joint = FIRST.change(Optional.of(2), Optional.of("d:4"));

        assertThat(joint.oldList()).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(joint.newList()).containsExactlyInAnyOrder(0, 1, 3);
        assertThat(joint).hasToString("1 3 0=a:1 1=b:2 -2=c:3 +3=d:4");
        assertThat(joint.majorities().areReached(Set.of(0, 1)::contains)).isTrue();
        assertThat(joint.majorities().areReached(Set.of(0, 2)::contains)).isFalse();
        assertThat(joint.majorities().areReached(Set.of(0, 3)::contains)).isFalse();
        assertThat(joint.majorities().areReached(Set.of(1, 2, 3)::contains)).isTrue();
    }

    @Test
    void whenAChangeHasEndedTheNewListCountsAlone() {
        Configuration end = FIRST.change(Optional.of(2), Optional.of("d:4")).end();

        assertThat(end).hasToString("2 3 0=a:1 1=b:2 3=d:4");
        assertThat(end.isJoint()).isFalse();
        assertThat(end.majorities().areReached(Set.of(0, 3)::contains)).isTrue();
    }

    @Test
    void everyConfigurationIsReadAsItIsWritten() {
        Configuration joint = FIRST.change(Optional.of(0), Optional.of("[::1]:4"));
        for (Configuration each : List.of(FIRST, joint, joint.end())) {
            assertThat(Configuration.parse(each.toString())).isEqualTo(each);
        }
    }

    @Test
    void anIndexIsGivenToAnotherNodeOnlyWhenAllOthersHaveHadTheirTurn() {
        Configuration now = FIRST;
        for (int i = 3; i < 36; i++) {
            now = now.change(Optional.of(i == 3 ? 2 : i - 1), Optional.of("n:" + i))
                    .end();
            assertThat(now.newList()).contains(i);
        }
        now = now.change(Optional.of(35), Optional.of("n:36")).end();

        assertThat(now.newList()).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void noSecondChangeBeginsBeforeTheFirstHasEnded() {
        Configuration joint = FIRST.change(Optional.empty(), Optional.of("d:4"));

        assertThatIllegalStateException().isThrownBy(() -> joint.change(Optional.of(0), Optional.empty()));
    }

    @Test
    void clientsMayReachTheFirstNodesUnderOtherAddressesButNotLaterOnes() {
        assertThat(FIRST.agreesWith(Configuration.founding(List.of("x:1", "y:2", "z:3"))))
                .isTrue();
        assertThat(FIRST.agreesWith(Configuration.founding(List.of("a:1", "b:2"))))
                .isFalse();
        assertThat(FIRST.change(Optional.of(2), Optional.of("d:4"))
                        .agreesWith(FIRST.change(Optional.of(2), Optional.of("e:5"))))
                .isFalse();
    }

    @Test
    void aListThatWasFoundedAheadGetsIndexesThatNeitherListHasUsed() {
        Configuration ahead = Configuration.founding(List.of("a:1", "b:2", "d:4"));

        Configuration joint = ahead.changeToThis(Optional.of("c:3"), Optional.of("d:4"));

        assertThat(joint.toString()).isEqualTo("1 7 4=a:1 5=b:2 +6=d:4 -7=c:3");
        assertThat(joint.end().toString()).isEqualTo("2 7 4=a:1 5=b:2 6=d:4");
    }
}
