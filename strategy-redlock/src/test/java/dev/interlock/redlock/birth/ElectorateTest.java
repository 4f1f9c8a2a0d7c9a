// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.redlock.joint.Configuration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The list by which a client counts votes, and the processes that it accepts as nodes. */
class ElectorateTest {
    private static final Configuration LIST = Configuration.founding(List.of("a:1", "b:2", "c:3"));
    private static final Configuration JOINT = LIST.change(Optional.of(2), Optional.of("d:4"));
    private static final BirthRecord ABSENT = BirthRecord.read(List.of());

    private final Electorate electorate = new Electorate(List.of("a:1", "b:2", "c:3"));

    private static BirthRecord record(int index, Configuration configuration, boolean founded) {
        return new BirthRecord(
                "x.1",
                "x",
                new Incumbent(7, "run-" + index),
                Duration.ZERO,
                Duration.ZERO,
                "",
                false,
                new BirthRecord.Listing(configuration, index, founded, true),
                Map.of());
    }

    @Test
    void aListCountsOnceAllOfItsNodesHavePledgedThemselvesToIt() {
        electorate.found(Map.of(0, ABSENT, 1, ABSENT));
        assertThat(electorate.knowledgeOf(0)).as("one has not been seen").isEqualTo("look");

        electorate.found(Map.of(0, ABSENT, 1, ABSENT, 2, ABSENT));
        assertThat(electorate.knowledgeOf(0)).isEqualTo("pledge");

        electorate.found(Map.of(0, record(0, LIST, false), 1, record(1, LIST, false), 2, ABSENT));
        assertThat(electorate.isFounded()).as("one has not pledged itself").isFalse();

        electorate.found(Map.of(0, record(0, LIST, false), 1, record(1, LIST, false), 2, record(2, LIST, false)));
        assertThat(electorate.isFounded()).isTrue();
    }

    @Test
    void aNodeThatHasPledgedItselfToAnotherListIsInNobodysWay() {
        Configuration other = Configuration.founding(List.of("c:3", "e:5", "f:6"));
        electorate.found(Map.of(0, ABSENT, 1, ABSENT, 2, record(0, other, false)));

        assertThat(electorate.knowledgeOf(0)).isEqualTo("look");
        assertThat(electorate.exclusion(2, record(0, other, false))).contains("belongs to another list");
    }

    @Test
    void aListThatIsAgreedReplacesThatOfTheFile() {
        Configuration five = Configuration.founding(List.of("a:1", "b:2", "c:3", "e:5", "f:6"));
        electorate.note(1, record(1, five, true));

        assertThat(electorate.configuration()).isEqualTo(five);
        assertThat(electorate.isFounded()).isTrue();
        assertThat(electorate.exclusion(1, record(1, five, true))).isNull();
    }

    @Test
    void aServerThatStandsInAFileInThePlaceOfANodeIsNotEnrolled() {
        Electorate ahead = new Electorate(List.of("a:1", "b:2", "d:4"));
        ahead.note(0, record(0, LIST, true));

        assertThat(ahead.knowledgeOf(2)).isEqualTo("look");
        assertThat(ahead.betterAddress(2, null)).as("not connected yet").isNull();
        assertThat(ahead.betterAddress(2, ABSENT)).isEqualTo("c:3");
        assertThat(ahead.betterAddress(0, record(0, LIST, true))).isNull();
    }

    @Test
    void aNodeUnderAnotherAddressIsANodeIfItsRecordSaysSo() {
        Electorate elsewhere = new Electorate(List.of("proxy:1", "proxy:2", "proxy:3"));
        for (int i = 0; i < 3; i++) {
            elsewhere.note(i, record(i, LIST, true));
        }

        assertThat(elsewhere.knowledgeOf(2)).isEqualTo("founded");
        assertThat(elsewhere.betterAddress(2, record(2, LIST, true))).isNull();
        assertThat(elsewhere.betterAddress(2, ABSENT))
                .as("when it has lost its data")
                .isNull();
    }

    @Test
    void ofTwoConfigurationsTheLaterCountsAndOfOneRevisionTheFirst() {
        electorate.note(0, record(0, LIST, true));
        electorate.note(0, record(0, JOINT, true));
        Configuration rival = LIST.change(Optional.of(1), Optional.of("e:5"));
        electorate.note(1, record(1, rival, true));

        assertThat(electorate.configuration()).isEqualTo(JOINT);
        assertThat(electorate.exclusion(1, record(1, rival, true))).contains("while others know");
        assertThat(electorate.exclusion(1, record(1, LIST, true)))
                .as("one that knows less")
                .isNull();
        assertThat(electorate.isBehind(1, record(1, LIST, true))).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> electorate.change(rival));
    }

    @Test
    void aNodeThatHasLeftDoesNotCount() {
        electorate.note(0, record(0, JOINT.end(), true));

        assertThat(electorate.exclusion(2, record(2, LIST, true))).contains("no longer one of the nodes");
        assertThat(electorate.betterAddress(3, null)).isEqualTo("d:4");
    }

    @Test
    void aProcessThatHasAnotherIndexNowIsToldOfItByNobodyWhoKnowsItByTheOldOne() {
        for (int i = 0; i < 3; i++) {
            electorate.note(i, record(i, LIST, true));
        }
        Configuration ahead =
                Configuration.founding(List.of("b:2", "c:3")).changeToThis(Optional.of("a:1"), Optional.empty());
        electorate.note(1, record(3, ahead, true));

        assertThat(electorate.configuration()).isEqualTo(ahead);
        for (int i = 0; i < 3; i++) {
            assertThat(electorate.knowledgeOf(i)).isEqualTo("look");
            assertThat(electorate.exclusion(i, record(i, LIST, true))).contains("no longer one of the nodes");
        }
        assertThat(electorate.betterAddress(3, null)).isEqualTo("b:2");
        assertThat(electorate.knowledgeOf(5)).isEqualTo("look");
        electorate.reach(5, "a:1");
        assertThat(electorate.knowledgeOf(5)).isEqualTo("founded");
    }
}
