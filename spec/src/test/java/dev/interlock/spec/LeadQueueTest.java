// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of redlock with a queue at the lead, and leases that are passed from owner to owner. */
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LeadQueueTest {
    private final Specification specification =
            new Specification("redlock", "LeadQueue", "hand-over", "drift", "links", "restart", "unassumed");

    @Order(1)
    @ParameterizedTest
    @CsvSource({
        "hand-over, 13600",
        "links, 6800",
        "drift, 17000",
        "rival, 9100",
        "restart, 16400",
        "renewing, 9900",
        "late-undo, 16000",
        "queue, 5800",
        "leads, 20000",
        "alias, 4800",
        "ending, 10800",
        "overtaken, 11000",
        "overtaken-faults, 24000",
        "unassumed, 2400"
    })
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Order(2)
    @Test
    void someModelTakesEachAction() {
        specification.hasTakenAllActions();
    }

    @Order(3)
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

    @Order(3)
    @Test
    void aSecondCopyOfARequestToStandBackWouldEnterWhoeverHasTheLock(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "overtaken",
                Map.of("BackOnce", "FALSE", "MayAsk", "TRUE", "Faults", "1", "Kinds", "{\"resend\"}"),
                "NoPlaceForHolder",
                reporter);
    }

    @Order(3)
    @Test
    void aPredecessorWhoseKeyExpiredMayStillHoldTheLock(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rival", Map.of("PredecessorGaveUp", "FALSE", "Turns", "0", "Renewals", "1"), "OneHolder", reporter);
    }

    @Order(3)
    @Test
    void aLateUndoOfATokenThatIsUsedAgainAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("late-undo", Map.of("FreshClaim", "FALSE", "Levels", "11"), "OneHolder", reporter);
    }

    @Order(4)
    @Tag("nightly")
    @Test
    void aDeadlineThatCountsFromTheAnswerAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rival", Map.of("DeadlineFromRequest", "FALSE", "Renewals", "1", "Levels", "0"), "OneHolder", reporter);
    }

    @Order(3)
    @Test
    void aBlockThatIsSmallerThanTheHopsRepeatsTokens(TestReporter reporter) throws Exception {
        specification.isRefuted("queue", Map.of("Block", "1"), "TokensGrow", reporter);
    }

    @Order(4)
    @Tag("nightly")
    @Test
    void theAlgorithmKeepsItsPromisesToThreeClients(TestReporter reporter) throws Exception {
        specification.holds("nightly", 100_000, reporter);
    }
}
