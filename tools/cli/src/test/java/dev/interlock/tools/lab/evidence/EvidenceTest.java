// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.tools.lab.evidence.Moment.What;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Evidence of timelines that are made up. */
class EvidenceTest {
    private static final Verdict VALID = new Checker(new Model(true, false)).check(List.of());

    private final List<Moment> moments = new ArrayList<>();
    private Verdict history = VALID;
    private boolean onlyOverlaps;

    private void at(long millis, String who, What what) {
        at(millis, who, what, null);
    }

    private void at(long millis, String who, What what, @Nullable StoreWrites writes) {
        moments.add(new Moment(nanos(millis), who, what, null, writes, null, null));
    }

    /** A holder finds out later that its lease has ended. */
    private void leaseEnded(long ended, long found, String who, What what) {
        moments.add(new Moment(nanos(found), who, what, null, null, null, nanos(ended)));
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(1000 + millis).toNanos();
    }

    private Evidence evidence() {
        return evidenceUntil(20_000);
    }

    private Evidence evidenceUntil(long millis) {
        return Evidence.of(Duration.ofSeconds(2), moments, nanos(millis), history, onlyOverlaps, List.of());
    }

    @Test
    void aHolderThatWasNeverToldHoldsBesideTheNextOne() {
        at(-20, "holder", What.ASKED);
        at(-10, "holder", What.GRANTED);
        at(0, "lab", What.STRUCK);
        at(5, "rival", What.ASKED);
        at(30, "rival", What.GRANTED);
        at(40, "rival", What.WROTE, new StoreWrites(GuardedStore.Write.ACCEPTED, GuardedStore.Write.ACCEPTED));
        at(50, "holder", What.WROTE, new StoreWrites(GuardedStore.Write.STALE, GuardedStore.Write.REFUSED));
        at(90, "holder", What.TOLD);
        at(120, "rival", What.RELEASING);

        Evidence evidence = evidence();

        assertThat(evidence.twoHoldersMillis()).isEqualTo(60);
        assertThat(evidence.staleWrites()).isEqualTo(1);
        assertThat(evidence.staleFencedWrites()).isZero();
        assertThat(evidence.refusedWrites()).isEqualTo(1);
        assertThat(evidence.lateWrites()).isEqualTo(1);
        assertThat(evidence.goneMillis()).isEqualTo(30);
        assertThat(evidence.toldMillis()).isEqualTo(90);
        assertThat(evidence.nextHolderMillis()).isEqualTo(30);
        assertThat(evidence.nobodyMillis()).isZero();
        assertThat(evidence.unserved()).isFalse();
        assertThat(evidence.timeline()).hasSize(9);
        assertThat(evidence.timeline().get(0).millis()).isEqualTo(-20);
    }

    @Test
    void theTimeWithoutAHolderBeginsWithTheDeathOfOneAndEndsWithTheNext() {
        at(-10, "holder", What.GRANTED);
        at(-5, "rival", What.ASKED);
        at(0, "lab", What.STRUCK);
        at(3, "holder", What.KILLED);
        at(2003, "rival", What.GRANTED);
        at(2010, "rival", What.RELEASING);

        Evidence evidence = evidence();

        assertThat(evidence.twoHoldersMillis()).isZero();
        assertThat(evidence.nobodyMillis()).isEqualTo(2000);
        assertThat(evidence.nextHolderMillis()).isEqualTo(2003);
        assertThat(evidence.goneMillis())
                .as("a dead holder has no lock to lose")
                .isNull();
    }

    @Test
    void whoIsNeverServedWaitsUntilTheLabStopsLookingWhateverHappenedLast() {
        at(-10, "holder", What.GRANTED);
        at(0, "lab", What.STRUCK);
        at(1, "holder", What.KILLED);
        at(10, "rival", What.ASKED);

        Evidence evidence = evidenceUntil(9010);

        assertThat(evidence.unserved()).isTrue();
        assertThat(evidence.nobodyMillis()).isEqualTo(9000);
        assertThat(evidence.nextHolderMillis()).isNull();
    }

    @Test
    void twoWhoBothHoldToTheEndHoldUntilTheLabStopsLooking() {
        at(-10, "holder", What.GRANTED);
        at(0, "lab", What.STRUCK);
        at(10, "rival", What.GRANTED);

        assertThat(evidenceUntil(500).twoHoldersMillis()).isEqualTo(490);
    }

    @Test
    void aLeaseEndsByItsHoldersClockAndNotWhenTheNoticeCame() {
        at(-10, "holder", What.GRANTED);
        at(-5, "rival", What.ASKED);
        at(0, "lab", What.STRUCK);
        at(1000, "rival", What.GRANTED);
        leaseEnded(980, 1200, "holder", What.TOLD);
        at(1300, "rival", What.RELEASING);

        Evidence evidence = evidence();

        assertThat(evidence.twoHoldersMillis()).isZero();
        assertThat(evidence.nobodyMillis()).isEqualTo(20);
        assertThat(evidence.toldMillis()).isEqualTo(1200);
    }

    @Test
    void aLeaseThatWasSeenValidAfterTheNextGrantIsASecondHolderHoweverShortItWas() {
        at(-10, "holder", What.GRANTED);
        at(0, "lab", What.STRUCK);
        at(1000, "rival", What.GRANTED);
        leaseEnded(1003, 1004, "holder", What.LOOKED_LOST);
        at(1300, "rival", What.RELEASING);

        assertThat(evidence().twoHoldersMillis()).isEqualTo(3);
    }

    @Test
    void aWriteThatComesAfterSomebodyElsesGrantIsLateThoughItOverwroteNothing() {
        at(-10, "holder", What.GRANTED);
        at(-8, "holder", What.WROTE, new StoreWrites(GuardedStore.Write.ACCEPTED, GuardedStore.Write.ACCEPTED));
        at(0, "lab", What.STRUCK);
        at(1000, "rival", What.GRANTED);
        at(1010, "holder", What.WROTE, new StoreWrites(GuardedStore.Write.ACCEPTED, GuardedStore.Write.REFUSED));
        leaseEnded(1020, 1020, "holder", What.TOLD);
        at(1100, "rival", What.RELEASING);
        at(1200, "holder", What.GRANTED);
        at(1210, "holder", What.WROTE, new StoreWrites(GuardedStore.Write.ACCEPTED, GuardedStore.Write.ACCEPTED));

        assertThat(evidence().lateWrites()).isEqualTo(1);
    }

    @Test
    void aReleaseEndsAHoldWhenItBeginsAndMomentsNeedNotComeInOrder() {
        at(0, "lab", What.STRUCK);
        at(30, "holder", What.RELEASED);
        at(25, "rival", What.GRANTED);
        at(20, "holder", What.RELEASING);
        at(-10, "holder", What.GRANTED);
        at(-5, "rival", What.ASKED);

        Evidence evidence = evidence();

        assertThat(evidence.twoHoldersMillis()).isZero();
        assertThat(evidence.nobodyMillis()).isEqualTo(5);
        assertThat(evidence.toldMillis()).isNull();
    }

    private void granted(long millis, String who, @Nullable Long token) {
        moments.add(new Moment(nanos(millis), who, What.GRANTED, token, null, null, null));
    }

    @Test
    void tokensTellWhoIsRightIfEachGrantHasAGreaterOneThanTheGrantBefore() {
        granted(-10, "holder", 5L);
        at(0, "lab", What.STRUCK);
        granted(10, "rival", 6L);
        assertThat(evidence().tokensTell()).isTrue();

        granted(20, "holder", 6L);
        assertThat(evidence().tokensTell()).isFalse();
    }

    /** A token tells which of two holders is right; it mends no other answer that a lock cannot give. */
    @Test
    void tokensDoNotTellWhoIsRightWhereMoreThanAnOverlapIsWrongWithTheHistory() {
        granted(-10, "holder", 5L);
        at(0, "lab", What.STRUCK);
        granted(10, "rival", 6L);
        history = new Verdict(Verdict.Outcome.VIOLATED, "it was released by somebody who did not hold it", List.of());
        assertThat(evidence().tokensTell()).isFalse();

        onlyOverlaps = true;
        assertThat(evidence().tokensTell()).isTrue();
    }

    @Test
    void tokensTellNothingWhereAGrantHasNone() {
        granted(-10, "holder", 5L);
        at(0, "lab", What.STRUCK);
        granted(10, "rival", null);

        assertThat(evidence().tokensTell()).isFalse();
    }

    @Test
    void tokensDoNotTellWhoIsRightWhereTheNextHolderIsJoinedByAThird() {
        granted(-10, "holder", 5L);
        at(0, "lab", What.STRUCK);
        at(5, "holder", What.TOLD);
        granted(10, "rival", 6L);
        granted(20, "holder", 7L);
        at(30, "rival", What.RELEASING);
        at(40, "holder", What.RELEASING);

        assertThat(evidence().twoHoldersMillis()).isEqualTo(10);
        assertThat(evidence().tokensTell()).isFalse();
    }

    @Test
    void aStaleWriteShowsThatTokensTellWhoIsRightThoughTheNextHolderIsJoinedByAThird() {
        granted(-10, "holder", 5L);
        at(0, "lab", What.STRUCK);
        granted(10, "rival", 6L);
        at(15, "holder", What.WROTE, new StoreWrites(GuardedStore.Write.STALE, GuardedStore.Write.REFUSED));
        at(18, "holder", What.RELEASING);
        granted(20, "holder", 7L);
        at(30, "rival", What.RELEASING);
        assertThat(evidence().tokensTell()).isTrue();

        granted(40, "rival", 7L);
        assertThat(evidence().tokensTell()).as("one token was granted to two").isFalse();
    }
}
