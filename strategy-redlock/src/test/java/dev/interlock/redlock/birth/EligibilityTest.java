// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redlock.joint.Configuration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long a process stands aside, depending on how long clients have watched it. */
class EligibilityTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(60);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Incumbent SELF = new Incumbent(7, "run-b");

    private static final Configuration NODES = Configuration.founding(List.of("a:1", "b:2", "c:3"));
    private static final BirthRecord.Listing LISTING = new BirthRecord.Listing(NODES, 1, true, true);

    private final Roster roster = new Roster(MAX_LEASE);
    private final Electorate electorate = new Electorate(List.of("a:1", "b:2", "c:3"));

    private static BirthRecord born(String birth, long ageSeconds) {
        return record(birth, ageSeconds, MAX_LEASE, "", Map.of());
    }

    private static BirthRecord record(
            String birth, long ageSeconds, Duration lease, String told, Map<Integer, Incumbent> peers) {
        Duration age = Duration.ofSeconds(ageSeconds);
        return new BirthRecord(birth + ".1", birth, SELF, lease, age, told, birth.equals("disputed"), LISTING, peers);
    }

    private Eligibility at(long seconds, BirthRecord record) {
        roster.note(1, record);
        electorate.note(1, record);
        return new Eligibility(1, electorate, roster, lease -> SECOND, record, seconds * SECOND);
    }

    @Test
    void aProcessVotesWhenItWasWatchedForTheLongestLeaseAndTheDrift() {
        Eligibility eligibility = at(100, born("x", 0));
        assertThat(eligibility.votesInNanos(100 * SECOND)).isEqualTo(61 * SECOND);
        assertThat(eligibility.votesInNanos(161 * SECOND)).isZero();
    }

    @Test
    void whatOthersHaveWatchedCounts() {
        Eligibility eligibility = at(100, born("x", 50));
        assertThat(eligibility.votesInNanos(100 * SECOND)).isEqualTo(11 * SECOND);
        eligibility.learn(born("x", 60), 105 * SECOND);
        assertThat(eligibility.votesInNanos(105 * SECOND)).isEqualTo(SECOND);
        eligibility.learn(born("x", 20), 106 * SECOND);
        assertThat(eligibility.votesInNanos(106 * SECOND))
                .as("a record that another client has written last")
                .isZero();
    }

    @Test
    void whatWasWatchedBeforeAnotherBirthDoesNotCount() {
        Eligibility eligibility = at(0, born("x", 1000));
        assertThat(eligibility.votesInNanos(0)).isNegative();
        eligibility.learn(born("y", 0), 5 * SECOND);
        assertThat(eligibility.votesInNanos(5 * SECOND)).isEqualTo(61 * SECOND);
    }

    @Test
    void whatWasWatchedBeforeAnotherNodeKnewOfTheProcessDoesNotCountOnce() {
        Eligibility eligibility = at(0, born("x", 30));
        eligibility.noteToldPeer(2, 20 * SECOND);
        assertThat(eligibility.votesInNanos(20 * SECOND))
                .as("nor what others have watched")
                .isEqualTo(61 * SECOND);
        assertThat(eligibility.hasUnrecordedPeers()).isTrue();
        assertThat(eligibility.toldPeers()).isEqualTo("2");
        eligibility.learn(record("y", 0, MAX_LEASE, "2", Map.of()), 40 * SECOND);
        eligibility.noteToldPeer(2, 50 * SECOND);
        assertThat(eligibility.votesInNanos(50 * SECOND)).isEqualTo(51 * SECOND);
        assertThat(eligibility.hasUnrecordedPeers()).isFalse();
        eligibility.noteToldPeer(0, 101 * SECOND);
        assertThat(eligibility.votesInNanos(101 * SECOND)).as("once it votes").isZero();
    }

    @Test
    void theLongestLeaseThatAnyNodeKnowsOfCounts() {
        Eligibility eligibility = at(0, born("x", 0));
        roster.note(2, record("z", 0, MAX_LEASE.multipliedBy(10), "", Map.of()));
        assertThat(eligibility.votesInNanos(61 * SECOND)).isEqualTo(540 * SECOND);
    }

    @Test
    void aNodeIsToldWhenItMayVoteUntilItsRecordSaysSo() {
        Eligibility eligibility = at(0, born("x", 0));
        assertThat(eligibility.isNewsThatItVotes(60 * SECOND)).isFalse();
        assertThat(eligibility.isNewsThatItVotes(61 * SECOND)).isTrue();
        eligibility.learn(born("x", 61), 62 * SECOND);
        assertThat(eligibility.isNewsThatItVotes(62 * SECOND)).isFalse();
    }

    @Test
    void aNodeIsToldOfItsAgeWheneverThatHasDoubledSoThatALongerLeaseFindsItOldEnough() {
        Eligibility eligibility = at(0, born("x", 61));
        assertThat(eligibility.isNewsThatItVotes(61 * SECOND)).isFalse();
        assertThat(eligibility.isNewsThatItVotes(62 * SECOND)).isTrue();
        eligibility.learn(born("x", 123), 62 * SECOND);
        assertThat(eligibility.isNewsThatItVotes(63 * SECOND)).isFalse();
    }

    @Test
    void whatAYoungProcessSaysOfALeaseCountsUnlessItsPlaceIsDisputed() {
        assertThat(at(0, born("x", 0)).confirmsInNanos(0)).isZero();
        Eligibility disputed = at(0, record("disputed", 0, MAX_LEASE, "", Map.of()));
        assertThat(disputed.confirmsInNanos(0)).isEqualTo(61 * SECOND);
    }

    @Test
    void aProcessHasASuccessorOnceAnyNodeKnowsOfOneWithALaterEpoch() {
        Eligibility eligibility = at(0, born("x", 0));
        roster.note(2, record("z", 0, MAX_LEASE, "", Map.of(1, new Incumbent(6, "run-z"))));
        assertThat(eligibility.hasSuccessor()).as("of an earlier epoch").isFalse();
        roster.note(2, record("z", 0, MAX_LEASE, "", Map.of(1, new Incumbent(8, "run-b"))));
        assertThat(eligibility.hasSuccessor()).as("the process itself").isFalse();
        roster.note(0, record("w", 0, MAX_LEASE, "", Map.of(1, new Incumbent(9, "run-a"))));
        assertThat(eligibility.hasSuccessor()).isTrue();
        assertThat(roster.nextEpoch(0)).isEqualTo(10);
    }
}
