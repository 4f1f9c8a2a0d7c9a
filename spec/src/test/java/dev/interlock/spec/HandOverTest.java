// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of set-nx-px, in which a release hands the lock over to a waiter. */
@Tag("deep")
class HandOverTest {
    private final Specification specification = new Specification("setnxpx", "HandOver");

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

    @Tag("nightly")
    @Test
    void someModelTakesEachAction() throws Exception {
        specification.takesAllActions("failover", "faults", "drift", "unassumed", "copies");
    }

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

    @Test
    void aMessageThatIsTakenForAGrantMayBeAheadOfTheReplicas(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "copies", Map.of("NoteOnlyWakes", "FALSE", "Turns", "2", "Levels", "20"), "OneHolder", reporter);
    }

    @Test
    void aRenewalThatWritesNothingIsAcknowledgedAheadOfTheReplicas(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "copies",
                Map.of("RenewalWrites", "FALSE", "Renewals", "2", "Attempts", "1", "Levels", "18"),
                "OneHolder",
                reporter);
    }

    @Tag("nightly")
    @Test
    void theAlgorithmKeepsItsPromisesToThreeClients(TestReporter reporter) throws Exception {
        specification.holds("nightly", 100_000, reporter);
    }
}
