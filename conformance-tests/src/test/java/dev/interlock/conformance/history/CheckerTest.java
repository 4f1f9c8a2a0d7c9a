// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckerTest {
    private static final Model MUTEX = new Model(false, false);
    private static final Model REENTRANT = new Model(true, false);
    private static final Model FENCED = new Model(false, true);
    private static final Model FENCED_REENTRANT = new Model(true, true);

    private static Verdict judge(Model model, String... story) {
        return new Checker(model).check(Story.of(story));
    }

    /** Asserts that a history is valid for a plain lock, for one with fencing tokens, and for a re-entrant one. */
    private static void assertAccepted(String... story) {
        for (Model model : List.of(MUTEX, REENTRANT, FENCED, FENCED_REENTRANT)) {
            assertAccepted(model, story);
        }
    }

    private static void assertRejected(String... story) {
        for (Model model : List.of(MUTEX, REENTRANT, FENCED, FENCED_REENTRANT)) {
            assertRejected(model, story);
        }
    }

    private static void assertAccepted(Model model, String... story) {
        assertThat(judge(model, story)).as(model.toString()).isEqualTo(Verdict.valid());
    }

    private static void assertRejected(Model model, String... story) {
        Verdict verdict = judge(model, story);
        assertThat(verdict.outcome()).as(model.toString()).isEqualTo(Outcome.VIOLATED);
        assertThat(verdict.explanation()).isNotEmpty();
        assertThat(verdict.excerpt()).isNotEmpty();
    }

    // Valid histories.

    @Test
    void nothingAtAllIsValid() {
        assertAccepted();
    }

    @Test
    void holdsOneAfterAnotherAreValid() {
        assertAccepted("p acquire 1-2 fence 1", "p release 3-4", "q acquire 5-6 fence 2", "q release 7-8");
    }

    @Test
    void aWaiterMayBeGrantedTheLockBeforeTheReleaseReturns() {
        assertAccepted("p acquire 1-2 fence 1", "q acquire 2-5 fence 2", "p release 4-9", "q release 10-11");
    }

    @Test
    void overlappingCallsMayHaveBeenInAnyOrder() {
        assertAccepted("p acquire 1-20 fence 2", "q acquire 2-9 fence 1", "q release 10-19", "p release 21-22");
    }

    @Test
    void grantsInOneInstantOfACoarseClockAreValid() {
        assertAccepted("p acquire 1-1 fence 1", "p release 1-1", "q acquire 1-1 fence 2", "q release 1-1");
    }

    @Test
    void callsThatFailedCountForNothing() {
        assertAccepted(
                "p acquire 1-2 fence 1",
                "q acquire 3-4 fail",
                "q release 5-6 fail",
                "p release 7-8",
                "p release 9-10 fail");
    }

    @Test
    void aLockThatIsNeverGivenBackIsValid() {
        assertAccepted("p acquire 1-2 fence 1", "q acquire 3-?");
    }

    @Test
    void aReleaseWithoutAnEndMayHaveTakenPlace() {
        assertAccepted("p acquire 1-2 fence 1", "p release 3-?", "q acquire 5-6 fence 2");
    }

    @Test
    void aReleaseOfUnknownOutcomeMayHaveTakenPlace() {
        assertAccepted("p acquire 1-2 fence 1", "p release 3-4 unknown", "q acquire 5-6 fence 2");
    }

    @Test
    void aReleaseOfUnknownOutcomeMayTakePlaceLate() {
        assertAccepted("p acquire 1-2 fence 1", "p release 3-4 unknown", "q acquire 5-90 fence 2", "q release 91-92");
    }

    @Test
    void aReleaseOfUnknownOutcomeMayNotHaveTakenPlace() {
        assertAccepted("p acquire 1-2 fence 1", "p release 3-4 unknown", "p release 5-6", "q acquire 7-8 fence 2");
    }

    @Test
    void anAcquisitionOfUnknownOutcomeMayNotHaveTakenPlace() {
        assertAccepted("p acquire 1-2 unknown", "q acquire 3-4 fence 1", "q release 5-6", "r acquire 7-8 fence 2");
    }

    @Test
    void anAcquisitionOfUnknownOutcomeMayHaveTakenPlace() {
        assertAccepted("p acquire 1-2 unknown", "p release 3-4", "q acquire 5-6 fence 1", "q release 7-8");
    }

    @Test
    void anAcquisitionOfUnknownOutcomeMayTakePlaceLate() {
        assertAccepted("p acquire 1-2 unknown", "q acquire 3-4 fence 1", "q release 5-6", "p release 7-8");
    }

    @Test
    void aProcessMayGoOnAfterAnAcquisitionOfUnknownOutcome() {
        assertAccepted("p acquire 1-2 unknown", "p acquire 3-4 fence 1", "p release 5-6", "q acquire 7-8 fence 2");
    }

    @Test
    void aLeaseThatHasRunOutEndsAHold() {
        assertAccepted("p acquire 1-2 fence 1 valid 10", "q acquire 5-12 fence 2", "p release 13-14 fail");
    }

    @Test
    void aHolderMayReleaseAfterItsLeaseIfNobodyHadTheLock() {
        assertAccepted("p acquire 1-2 fence 1 valid 10", "p release 50-51", "q acquire 52-53 fence 2");
    }

    @Test
    void aLossEndsAHold() {
        assertAccepted("p acquire 1-2 fence 1", "p lost 10", "q acquire 5-11 fence 2", "q release 12-13");
    }

    @Test
    void aLossThatIsLearntLateCountsFromWhenTheLockWasLastKnownToBeHeld() {
        List<Event> events = new ArrayList<>(Story.of("p acquire 1-2 fence 1", "q acquire 5-11 fence 2", "p lost 10"));
        Event loss = events.remove(3);
        events.add(loss);
        assertThat(new Checker(FENCED).check(events).isValid()).isTrue();
    }

    @Test
    void whoLostTheLockMayAcquireItAfresh() {
        assertAccepted(
                "p acquire 1-2 fence 1", "p lost 3", "p acquire 4-5 fence 2", "p release 6-7", "q acquire 8-9 fence 3");
    }

    @Test
    void locksAreJudgedOneByOne() {
        assertAccepted(
                "p acquire@a 1-2 fence 9",
                "q acquire@b 3-4 fence 1",
                "p acquire@c 5-6 fence 5",
                "q release@b 7-8",
                "p release@a 9-10",
                "q acquire@a 11-12 fence 10",
                "p release@c 13-14");
    }

    @Test
    void theHolderMayAcquireAgain() {
        String[] story = {
            "p acquire 1-2 fence 1",
            "p acquire 3-4 fence 1",
            "p release 5-6",
            "p acquire 7-8 fence 1",
            "p release 9-10",
            "q acquire 3-12 fence 2",
            "p release 11-13"
        };
        assertAccepted(REENTRANT, story);
        assertAccepted(FENCED_REENTRANT, story);
    }

    @Test
    void aLossEndsAllHolds() {
        String[] story = {
            "p acquire 1-2 fence 1",
            "p acquire 3-4 fence 1",
            "p lost 10",
            "q acquire 11-12 fence 2",
            "p release 13-14 fail"
        };
        assertAccepted(REENTRANT, story);
        assertAccepted(FENCED_REENTRANT, story);
    }

    @Test
    void anUnknownAcquisitionMayHaveBeenOneMoreHold() {
        String[] story = {
            "p acquire 1-2 fence 1", "p acquire 3-4 unknown", "p release 5-6", "p release 7-8", "q acquire 9-10 fence 2"
        };
        assertAccepted(REENTRANT, story);
        assertAccepted(FENCED_REENTRANT, story);
    }

    @Test
    void fencesMayLeaveGaps() {
        assertAccepted(FENCED, "p acquire 1-2 fence 7", "p release 3-4", "q acquire 5-6 fence 70000", "q release 7-8");
    }

    // Invalid histories.

    @Test
    void twoHoldersAtOnceAreRejected() {
        assertRejected("p acquire 1-2 fence 1", "q acquire 3-4 fence 2", "p release 5-6", "q release 7-8");
    }

    @Test
    void twoHoldersAtOnceAreRejectedWhicheverGaveTheLockBackFirst() {
        assertRejected("p acquire 1-2 fence 1", "q acquire 3-4 fence 2", "q release 5-6", "p release 7-8");
    }

    @Test
    void twoGrantsAtOnceAreRejectedThoughTheirCallsOverlap() {
        assertRejected("p acquire 1-4 fence 1", "q acquire 2-5 fence 2", "q release 6-7", "p release 8-9");
    }

    @Test
    void aHolderBesideOneThatNeverGaveTheLockBackIsRejected() {
        assertRejected("p acquire 1-2 fence 1", "q acquire 30-40 fence 2");
    }

    @Test
    void aTakenLockThatWasGrantedWithASmallerFenceIsRejected() {
        assertRejected("p acquire 1-2 fence 9", "q acquire 3-4 fence 2", "p release 5-6", "q release 7-8");
    }

    @Test
    void aReleaseByWhoNeverHeldTheLockIsRejected() {
        assertRejected("p acquire 1-2 fence 1", "q release 3-4", "p release 5-6");
    }

    @Test
    void aReleaseOfAFreeLockIsRejected() {
        assertRejected("p release 1-2");
    }

    @Test
    void aSecondReleaseIsRejected() {
        assertRejected("p acquire 1-2 fence 1", "p release 3-4", "p release 5-6");
    }

    @Test
    void aGrantBeforeTheOthersLeaseHasRunOutIsRejected() {
        assertRejected("p acquire 1-2 fence 1 valid 10", "q acquire 5-11 fence 2");
    }

    @Test
    void aGrantBeforeTheOthersLossIsRejected() {
        assertRejected("p acquire 1-2 fence 1", "q acquire 5-9 fence 2", "p lost 10");
    }

    @Test
    void aLossEndsNoLaterHold() {
        assertRejected(
                "p acquire 1-2 fence 1", "p lost 3", "p acquire 4-5 fence 2", "q acquire 6-7 fence 3", "p release 8-9");
    }

    @Test
    void aLossThatIsToldLateEndsNoHoldButItsOwn() {
        String[] late = {
            "p acquire 1-2 fence 1 valid 2", "p acquire 5-6 fence 2", "p lost 8 fence 1", "q acquire 9-10 fence 3"
        };
        assertRejected(FENCED, late);
        assertRejected(FENCED_REENTRANT, late);
    }

    @Test
    void aSuccessfulReleaseAfterSomebodyElsesHoldIsRejected() {
        assertRejected(
                "p acquire 1-2 fence 1 valid 10", "q acquire 20-21 fence 2", "q release 22-23", "p release 30-31");
    }

    @Test
    void anUnknownReleaseThatBeganAfterTheNextGrantDoesNotExplainIt() {
        assertRejected("p acquire 1-2 fence 1", "q acquire 3-4 fence 2", "p release 5-6 unknown");
    }

    @Test
    void anUnknownReleaseEndsNoLaterHold() {
        assertRejected(
                "p acquire 1-2 fence 1",
                "p release 3-4 unknown",
                "p release 5-6",
                "p acquire 7-8 fence 2",
                "q acquire 9-10 fence 3");
    }

    @Test
    void anUnknownAcquisitionThatNothingRestsOnExplainsNothing() {
        assertRejected("p acquire 1-2 unknown", "q acquire 3-4 fence 1", "r acquire 5-6 fence 2", "q release 7-8");
    }

    @Test
    void anUnknownAcquisitionCannotHaveTakenPlaceWhileAnotherHeldTheLock() {
        assertRejected("q acquire 1-2 fence 1", "p acquire 3-4 unknown", "p release 5-6", "q release 7-8");
    }

    @Test
    void aLossBeforeAnAcquisitionEndsItNot() {
        assertRejected("p acquire 6-7 fence 1", "p lost 3 told 15", "q acquire 8-9 fence 2");
    }

    @Test
    void reentryProlongsNoLease() {
        for (Model model : List.of(REENTRANT, FENCED_REENTRANT)) {
            assertAccepted(
                    model,
                    "p acquire 1-2 fence 1 valid 10",
                    "p acquire 3-20 fence 1 valid 50",
                    "q acquire 13-14 fence 2");
            assertRejected(
                    model,
                    "p acquire 1-2 fence 1 valid 50",
                    "p acquire 3-4 fence 1 valid 5",
                    "q acquire 13-14 fence 2");
        }
    }

    @Test
    void aHoldOfUnknownOutcomeHasATokenOfItsOwn() {
        for (Model model : List.of(FENCED, FENCED_REENTRANT)) {
            String[] story = {
                "o acquire 1-2 fence 1",
                "o release 3-4",
                "p acquire 5-6 unknown",
                "p release 7-8",
                "q acquire 9-10 fence 2"
            };
            assertRejected(model, story);
            assertThat(judge(model, story).explanation())
                    .isEqualTo("lock \"a\": q was granted it with fence 2, which leaves no fence for a hold of unknown"
                            + " outcome before it");
            story[4] = "q acquire 9-10 fence 3";
            assertAccepted(model, story);
        }
    }

    @Test
    void anotherGrantToTheHolderIsRejectedWhereItCannotAcquireAgain() {
        assertRejected(MUTEX, "p acquire 1-2", "p acquire 3-4", "p release 5-6", "p release 7-8");
        assertRejected(FENCED, "p acquire 1-2 fence 1", "p acquire 3-4 fence 2", "p release 5-6", "p release 7-8");
    }

    @Test
    void aGrantBeforeTheLastOfSeveralReleasesIsRejected() {
        String[] story = {
            "p acquire 1-2 fence 1", "p acquire 3-4 fence 1", "p release 5-6", "q acquire 7-8 fence 2", "p release 9-10"
        };
        assertRejected(REENTRANT, story);
        assertRejected(FENCED_REENTRANT, story);
    }

    @Test
    void moreReleasesThanHoldsAreRejected() {
        String[] story = {
            "p acquire 1-2 fence 1", "p acquire 3-4 fence 1", "p release 5-6", "p release 7-8", "p release 9-10"
        };
        assertRejected(REENTRANT, story);
        assertRejected(FENCED_REENTRANT, story);
    }

    @Test
    void aFenceThatIsGrantedTwiceIsRejected() {
        assertRejected(FENCED, "p acquire 1-2 fence 5", "p release 3-4", "q acquire 5-6 fence 5");
        assertRejected(FENCED_REENTRANT, "p acquire 1-2 fence 5", "p release 3-4", "p acquire 5-6 fence 5");
    }

    @Test
    void aFenceThatGoesDownIsRejected() {
        assertRejected(FENCED, "p acquire 1-2 fence 5", "p release 3-4", "q acquire 5-6 fence 4");
        assertRejected(FENCED_REENTRANT, "p acquire 1-2 fence 5", "p release 3-4", "p acquire 5-6 fence 4");
    }

    @Test
    void aFenceOfOneProcessThatGoesDownInOneInstantIsRejected() {
        for (Model model : List.of(FENCED, FENCED_REENTRANT)) {
            assertRejected(model, "q acquire 2-10 fence 4", "q acquire 10-10 fence 2", "q release 10-15");
        }
    }

    @Test
    void aFenceThatGoesDownAfterALossIsRejected() {
        assertRejected(FENCED, "p acquire 1-2 fence 5 valid 3", "q acquire 10-11 fence 4");
    }

    @Test
    void aNewFenceForTheHolderIsRejected() {
        assertRejected(
                FENCED_REENTRANT, "p acquire 1-2 fence 1", "p acquire 3-4 fence 2", "p release 5-6", "p release 7-8");
    }

    @Test
    void aGrantWithoutAFenceIsRejectedWhereThereMustBeOne() {
        assertRejected(FENCED, "p acquire 1-2");
    }

    @Test
    void aViolationOfOneLockAmongManyIsFound() {
        assertRejected(
                "p acquire@a 1-2 fence 9",
                "q acquire@b 3-4 fence 1",
                "p acquire@b 5-6 fence 2",
                "p release@a 9-10",
                "q release@b 11-12");
    }

    // Explanations.

    @Test
    void theExplanationTellsWhoClashesAndShowsTheirCalls() {
        for (Model model : List.of(MUTEX, FENCED)) {
            Verdict verdict = judge(
                    model,
                    "o acquire 1-2 fence 1",
                    "o release 3-4",
                    "p acquire 5-6 fence 2",
                    "q acquire 7-8 fence 3",
                    "p release 9-10",
                    "q release 11-12");
            assertThat(verdict.explanation()).contains("lock \"a\"", "q was granted it", "before p");
            assertThat(verdict.excerpt()).extracting(Event::process).containsExactly("p", "p", "q", "q", "p", "p");
            assertThat(verdict.toString())
                    .contains("VIOLATED", "ACQUIRE OK", "RELEASE INVOKE")
                    .hasLineCount(7);
        }
    }

    @Test
    void theExplanationNamesTheFences() {
        assertThat(judge(FENCED, "p acquire 1-2 fence 5", "p release 3-4", "q acquire 5-6 fence 4")
                        .explanation())
                .isEqualTo("lock \"a\": q was granted it with fence 4 after p with fence 5");
        assertThat(judge(FENCED, "p acquire 1-2 fence 5", "p release 3-4", "q acquire 5-6 fence 5")
                        .explanation())
                .isEqualTo("lock \"a\": q was granted it for a new hold with fence 5, which p had before");
        assertThat(judge(FENCED_REENTRANT, "p acquire 1-2 fence 5", "p acquire 3-4 fence 6")
                        .explanation())
                .isEqualTo("lock \"a\": p was granted it with fence 6 while it held it itself with fence 5");
    }

    /** A release without an answer may have any place after it, so its bit is far from those of the calls after it. */
    @Test
    void callsWithoutAnEndCostNoMemoryForEachCallAfterThem() {
        List<String> lines = new ArrayList<>(List.of("dead acquire 1-2", "dead release 3-?", "late release 0-?"));
        int pairs = 20_000;
        for (int i = 0; i < pairs; i++) {
            int begin = 10 + i * 4;
            String process = "p" + i % 3;
            lines.add(process + " acquire " + begin + "-" + (begin + 1));
            lines.add(process + " release " + (begin + 2) + "-" + (begin + 3));
        }
        Checker checker = new Checker(MUTEX, 2L * pairs * 150);

        assertThat(checker.check(Story.of(lines.toArray(String[]::new))).isValid())
                .isTrue();
    }

    @Test
    void aSearchThatTakesTooMuchMemoryIsUndecidedWhateverTheOtherLocksDid() {
        List<String> story = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            story.add("p" + i + " acquire@hard " + (i + 1) + "-" + (i + 50));
        }
        Checker checker = new Checker(MUTEX, 1000);
        assertThat(checker.check(Story.of(story.toArray(String[]::new))).outcome())
                .isEqualTo(Outcome.UNDECIDED);
        story.add("p acquire@good 1000-1001");
        assertThat(checker.check(Story.of(story.toArray(String[]::new))).outcome())
                .isEqualTo(Outcome.UNDECIDED);
        story.add("p release@bad 2000-2001");
        assertThat(checker.check(Story.of(story.toArray(String[]::new))).outcome())
                .isEqualTo(Outcome.VIOLATED);
    }

    @Test
    void aLongHistoryWithoutFencesIsJudged() {
        List<String> story = new ArrayList<>();
        int threads = 20;
        for (int i = 0; i < 5_000; i++) {
            int begin = 10 * i;
            story.add(
                    "p" + i % threads + " acquire " + Math.max(1, begin - 10 * (threads - 1) + 5) + "-" + (begin + 3));
            story.add("p" + i % threads + " release " + (begin + 4) + "-" + (begin + 12));
            story.add("ghost" + i + " acquire " + begin + "-?");
        }
        assertAccepted(MUTEX, story.toArray(String[]::new));
        story.add("intruder acquire 25005-25006");
        assertRejected(MUTEX, story.toArray(String[]::new));
    }

    // Records that are no histories.

    @Test
    void aProcessThatMakesTwoCallsAtOnceIsRefused() {
        assertThatThrownBy(() -> judge(MUTEX, "p acquire 1-5", "p release 3-4"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("p begins a call (#1) before the one before (#0) has ended");
    }

    @Test
    void anEndWithoutABeginningIsRefused() {
        List<Event> events = Story.of("p acquire 1-2");
        assertThatThrownBy(() -> new Checker(MUTEX).check(events.subList(1, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("p ends a call (#1) that it did not begin");
    }

    @Test
    void aProcessThatGoesBackInTimeIsRefused() {
        List<Event> events = new ArrayList<>(Story.of("p acquire 5-6"));
        events.addAll(Story.of("q acquire 1-2", "p release 3-4").subList(2, 4));
        assertThatThrownBy(() -> new Checker(MUTEX).check(events))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("p goes back in time (#2)");
    }

    @Test
    void clocksThatStartAnywhereAreNoTrouble() {
        for (long origin : new long[] {-3, Long.MAX_VALUE - 3, Long.MIN_VALUE}) {
            assertThat(new Checker(MUTEX)
                            .check(moved(origin, "p acquire 1-2", "p release 3-4", "q acquire 5-6"))
                            .isValid())
                    .isTrue();
            assertThat(new Checker(MUTEX)
                            .check(moved(origin, "p acquire 1-2", "q acquire 3-4"))
                            .isValid())
                    .isFalse();
        }
    }

    private static List<Event> moved(long origin, String... story) {
        return Story.of(story).stream()
                .map(it -> new Event(
                        it.sequence(),
                        it.nanos() + origin,
                        it.process(),
                        it.type(),
                        it.op(),
                        it.lock(),
                        it.fence(),
                        it.validNanos(),
                        it.error()))
                .toList();
    }
}
