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

/** Checks the specification of set-nx-px, in which a release hands the lock over to a waiter. */
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HandOverTest {
    private final Specification specification =
            new Specification("setnxpx", "HandOver", "failover", "faults", "drift", "unassumed", "copies");

    @Order(1)
    @ParameterizedTest
    @CsvSource({
        "faults, 8200",
        "drift, 3400",
        "waking, 2000",
        "failover, 15000",
        "ending, 4700",
        "passing, 4100",
        "unassumed, 3700",
        "copies, 17000"
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
        "ExactComparison, faults, OneHolder",
        "MarksOnRefusal, waking, NoLostWakeUp",
        "MarksOnHandOver, waking, NoLostWakeUp",
        "MissAsksScript, waking, NoGhost",
        "UndoAsksScript, faults, NoGhost",
        "ProofAfterFailover, failover, DrawsGrow",
        "SeedsFreshCounter, faults, TokensGrow",
        "DeadlineIsInstant, faults, OneHolder",
        "RenewsOwnOnly, drift, TokensGrow",
        "CountsBehind, passing, TokensGrow",
        "LooksBehind, passing, HolderIsMarked",
        "GrantWaits, copies, OneHolder",
        "RenewalWaits, copies, OneHolder",
        "MayAsk, ending, deadlock",
    })
    void whoBreaksARuleBreaksAPromise(String rule, String model, String promise, TestReporter reporter)
            throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), promise, reporter);
    }

    @Order(3)
    @Test
    void aMessageThatIsTakenForAGrantMayBeAheadOfTheReplicas(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "copies", Map.of("NoteOnlyWakes", "FALSE", "Turns", "2", "Levels", "20"), "OneHolder", reporter);
    }

    @Order(3)
    @Test
    void aRenewalThatWritesNothingIsAcknowledgedAheadOfTheReplicas(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "copies",
                Map.of("RenewalWrites", "FALSE", "Renewals", "2", "Attempts", "1", "Levels", "18"),
                "OneHolder",
                reporter);
    }

    @Order(4)
    @Tag("nightly")
    @Test
    void theAlgorithmKeepsItsPromisesToThreeClients(TestReporter reporter) throws Exception {
        specification.holds("nightly", 100_000, reporter);
    }
}
