// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of redlock with a queue at the lead, and leases that are passed from owner to owner. */
@Tag("deep")
class LeadQueueTest {
    private final Specification specification = new Specification("redlock", "LeadQueue");

    @ParameterizedTest
    @CsvSource({
        "hand-over, 13600",
        "links, 6800",
        "drift, 17000",
        "rival, 9100",
        "restart, 16400",
        "renewing, 9900",
        "queue, 5800",
        "alias, 4800",
        "overtaken, 11000",
        "unassumed, 2400"
    })
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Tag("nightly")
    @Test
    void someModelTakesEachAction() throws Exception {
        specification.takesAllActions("hand-over", "drift", "links", "restart", "unassumed");
    }

    @ParameterizedTest
    @CsvSource({
        "BirthGuard, restart, OneHolder",
        "NeverDelAfterPass, hand-over, NothingAfterDelete",
        "HopChecked, queue, OneHolder",
        "OwnDeadline, renewing, OneHolder",
        "DeadlineIsInstant, rival, OneHolder",
        "PassGivesUp, hand-over, OneHolder",
        "DistinctVotes, alias, OneHolder",
        "MayAsk, ending, deadlock",
        "StandsBack, overtaken, deadlock",
        "TellsOvertaken, overtaken, deadlock",
        "NotesRelease, overtaken, deadlock",
    })
    void whoBreaksARuleBreaksAPromise(String rule, String model, String promise, TestReporter reporter)
            throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), promise, reporter);
    }

    @Test
    void aSecondCopyOfARequestToStandBackWouldEnterWhoeverHasTheLock(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "overtaken",
                Map.of("BackOnce", "FALSE", "MayAsk", "TRUE", "Faults", "1", "Kinds", "{\"resend\"}"),
                "NoPlaceForHolder",
                reporter);
    }

    @Test
    void aPredecessorWhoseKeyExpiredMayStillHoldTheLock(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rival", Map.of("PredecessorGaveUp", "FALSE", "Turns", "0", "Renewals", "1"), "OneHolder", reporter);
    }

    @Test
    void aLateUndoOfATokenThatIsUsedAgainAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("late-undo", Map.of("FreshClaim", "FALSE", "Levels", "11"), "OneHolder", reporter);
    }

    @Tag("nightly")
    @Test
    void aDeadlineThatCountsFromTheAnswerAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rival", Map.of("DeadlineFromRequest", "FALSE", "Renewals", "1", "Levels", "0"), "OneHolder", reporter);
    }

    @Test
    void aBlockThatIsSmallerThanTheHopsRepeatsTokens(TestReporter reporter) throws Exception {
        specification.isRefuted("queue", Map.of("Block", "1"), "TokensGrow", reporter);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"ending, 10800", "late-undo, 16000", "leads, 20000", "overtaken-faults, 24000", "nightly, 100000"})
    void theAlgorithmKeepsItsPromisesInLargerModels(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }
}
