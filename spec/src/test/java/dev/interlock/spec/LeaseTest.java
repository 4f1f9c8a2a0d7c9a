// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of a lease, which a client believes to have by its own clocks. */
@Tag("deep")
class LeaseTest {
    private final Specification specification = new Specification("lease", "Lease");

    @ParameterizedTest
    @CsvSource({"rates, 11000", "clocks, 24000", "late, 9700", "revival, 4500"})
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Tag("nightly")
    @Test
    void someModelTakesEachAction() throws Exception {
        specification.takesAllActions("clocks", "revival");
    }

    @ParameterizedTest
    @CsvSource({
        "FromSending, rates, OneHolder",
        "OverStaysOver, rates, NoRevival",
        "ReplyCounts, revival, OneHolder",
        "LostEnds, revival, OneHolder",
        "RenewalCompares, revival, OneHolder",
        "MonotonicDecides, clocks, NoRevival",
        "WallWithholds, clocks, OneHolder",
        "FreshTokens, late, OneHolder",
        "ReleaseCompares, late, OneHolder",
        "ReleaseEnds, late, OneHolder",
    })
    void whoBreaksARuleBreaksAPromise(String rule, String model, String promise, TestReporter reporter)
            throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), promise, reporter);
    }

    @Test
    void aCheckThatShortensTheLeaseOfALaterRenewalAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("revival", Map.of("NeverShortens", "FALSE", "Renewals", "2"), "OneHolder", reporter);
    }

    @Test
    void clocksThatMissTicksWithoutAnAllowanceAdmitTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("rates", Map.of("Allowance", "0"), "OneHolder", reporter);
    }

    @Test
    void clocksThatMissAnyTickAdmitTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("rates", Map.of("Rate", "0"), "OneHolder", reporter);
    }

    @Test
    void aSuspensionThatTheWallClockDoesNotShowAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted("clocks", Map.of("Faults", "2"), "OneHolder", reporter);
    }
}
