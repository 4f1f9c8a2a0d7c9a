// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of the conditions of set-nx-px, in which a signal is kept until it has arrived. */
@Tag("deep")
class SignalQueueTest {
    private final Specification specification = new Specification("setnxpx", "SignalQueue");

    @ParameterizedTest
    @CsvSource({"signals, 37", "signal-faults, 23000", "signal-ending, 900"})
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Tag("nightly")
    @Test
    void someModelTakesEachAction() throws Exception {
        specification.takesAllActions("signal-faults");
    }

    @ParameterizedTest
    @CsvSource({
        "EntersAtRelease, signals, NoneMissed",
        "KeepsRecord, signal-faults, NoSignalLost",
        "HeldConfirms, signal-faults, NoSignalLost",
        "AdoptKeeps, signal-faults, NoSignalLost",
        "CloseLeaves, signal-faults, NoSignalLost",
        "LeavingAsks, signal-faults, NoSignalLost",
        "LeavingPassesOn, signal-faults, NoSignalLost",
        "PassesOverDead, signal-faults, NothingForTheDead",
        "LooksAtRecords, signal-faults, deadlock",
        "LooksForItself, signal-faults, deadlock",
    })
    void whoBreaksARuleBreaksAPromise(String rule, String model, String promise, TestReporter reporter)
            throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), promise, reporter);
    }

    @ParameterizedTest
    @CsvSource({
        "LooksForItself, WaitsEnd",
        "LooksAtRecords, SignalsArrive",
        "LeavingPassesOn, SignalsArrive",
        "KeepsRecord, SignalsArrive",
    })
    void whoBreaksARuleLeavesAWaitOrASignalWithoutAnEnd(String rule, String property, TestReporter reporter)
            throws Exception {
        specification.breaksProperty("signal-ending", Map.of(rule, "FALSE"), property, reporter);
    }
}
