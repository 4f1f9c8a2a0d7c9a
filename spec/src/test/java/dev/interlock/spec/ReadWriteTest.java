// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of the read/write locks of set-nx-px, whose phases take turns. */
@Tag("deep")
class ReadWriteTest {
    private final Specification specification = new Specification("setnxpx", "ReadWrite");

    @ParameterizedTest
    @CsvSource({
        "rw-turns, 2800",
        "rw-streams, 2900",
        "rw-downgrade, 19000",
        "rw-places, 3800",
        "rw-writers, 14000",
        "rw-readers, 14000",
        "rw-drift, 2200",
        "rw-ending, 2700",
        "rw-unassumed, 5600"
    })
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Tag("nightly")
    @Test
    void someModelTakesEachAction() throws Exception {
        specification.takesAllActions("rw-ending", "rw-places", "rw-unassumed", "rw-writers", "rw-drift");
    }

    @ParameterizedTest
    @CsvSource({
        "WriterExcludesReaders, rw-turns, Exclusion",
        "ReadersExcludeWriter, rw-turns, Exclusion",
        "ReadersWaitForWriters, rw-turns, OneReadingEach",
        "ReadersWaitForWriters, rw-streams, liveness",
        "ReadersAfterWriter, rw-turns, OneWriterAtMost",
        "ReadersAfterWriter, rw-streams, liveness",
        "WriterAfterReaders, rw-turns, OneReadingEach",
        "AdmitsAll, rw-turns, TurnComes",
        "AdmitsBesideOwn, rw-downgrade, OneWriterAtMost",
        "MarksDowngrade, rw-downgrade, OneWriterAtMost",
        "TracesTell, rw-readers, OneReadingEach",
        "OwnLease, rw-readers, DeadForOneLease",
        "ComparesToken, rw-writers, Exclusion",
        "RenewsOwnOnly, rw-drift, Exclusion",
        "UndoTakesGrant, rw-turns, NoGhost",
        "UndoTakesPlace, rw-turns, NoGhost",
        "LeavingSettles, rw-turns, TurnComes",
        "PassesOverDead, rw-readers, NothingForTheDead",
        "KeepsArrival, rw-places, InOrder",
        "ReaderSeesFence, rw-readers, TokensGrow",
        "DrawsFromTime, rw-drift, TokensGrow",
        "MayAsk, rw-ending, deadlock",
    })
    void whoBreaksARuleBreaksAPromise(String rule, String model, String promise, TestReporter reporter)
            throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), promise, reporter);
    }

    @Test
    void aMessageThatIsTakenForAGrantMayComeAfterItsEnd(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rw-writers",
                Map.of("MessageOnlyWakes", "FALSE", "Faults", "0", "Levels", "12"),
                "Exclusion",
                reporter);
    }

    @Test
    void aPhaseOfReadingWhoseEndNobodySawInTimeIsFollowedByAnother(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "rw-readers",
                Map.of("Kinds", "{\"trace\"}", "Renewals", "0", "Levels", "14"),
                "OneReadingEach",
                reporter);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"rw-nightly, 180000", "rw-crowd, 260000"})
    void theAlgorithmKeepsItsPromisesToMoreClients(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }
}
