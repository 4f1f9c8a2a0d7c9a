// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the specification of redlock whose list of nodes is changed while clients use it. */
@Tag("deep")
class JointQuorumTest {
    private final Specification specification = new Specification("redlock", "JointQuorum");

    @ParameterizedTest
    @CsvSource({
        "joint-replace, 18000",
        "joint-asleep, 19000",
        "joint-gone, 6600",
        "joint-apart, 570",
        "joint-ending, 3100",
        "joint-same, 1000"
    })
    void theAlgorithmKeepsItsPromises(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    /** Nobody founds another list while some node of the old one remembers that: only without that assumption. */
    @Tag("nightly")
    @Test
    void someModelTakesEachActionThatTheAssumptionsAllow() throws Exception {
        specification.takesAllActionsBut(
                Set.of("Found"), "joint-replace", "joint-same", "joint-ending", "joint-renew", "joint-behind");
    }

    @ParameterizedTest
    @CsvSource({
        "JointPhase, joint-replace",
        "OldListCounts, joint-replace",
        "WaitsForLeases, joint-replace",
        "BirthGuard, joint-forget",
        "VoteChecksRevision, joint-asleep",
        "NewestListDecides, joint-asleep",
    })
    void whoBreaksARuleAdmitsTwoHolders(String rule, String model, TestReporter reporter) throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), "OneHolder", reporter);
    }

    @ParameterizedTest
    @CsvSource({
        "GoesOn, ChangesEnd",
        "SkipsGone, ChangesEnd",
        "RoundsEnd, AttemptsEnd",
        "RefusalTells, Served",
    })
    void whoBreaksARuleLeavesAChangeOrAnAttemptWithoutAnEnd(String rule, String property, TestReporter reporter)
            throws Exception {
        specification.breaksProperty("joint-ending", Map.of(rule, "FALSE"), property, reporter);
    }

    @Test
    void aListInAFileThatCountsBeforeTheNodesKnowItAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "joint-replace", Map.of("NodesDecide", "FALSE", "Ahead", "{c2}"), "OneHolder", reporter);
    }

    @Test
    void aCommandThatTakesAFoundedListForItsOwnWorkLeavesTheOldListBehind(TestReporter reporter) throws Exception {
        specification.isRefuted("joint-behind", Map.of("FoundedIsNotDone", "FALSE"), "NewListIsLater", reporter);
    }

    @Test
    void anotherConfigurationOfTheSameRevisionLetsTwoChangesEnd(TestReporter reporter) throws Exception {
        Map<String, String> operatorsAlone = Map.of("Askers", "{}", "Holder", "nobody", "Held", "{{}}");
        Map<String, String> mutant = new HashMap<>(operatorsAlone);
        mutant.put("FirstComes", "FALSE");
        specification.isRefuted("joint-rival", mutant, "OneSuccessor", reporter);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "joint-behind, 89000",
        "joint-crash, 24000",
        "joint-forget, 33000",
        "joint-born-again, 60000",
        "joint-renew, 60000",
        "joint-rival, 20000",
        "joint-chain, 6000"
    })
    void theAlgorithmKeepsItsPromisesInLargerModels(String model, int states, TestReporter reporter) throws Exception {
        specification.holds(model, states, reporter);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "FreshIndexes, joint-behind",
        "NewListCounts, joint-asleep",
        "WaitRestarts, joint-crash",
        "RenewalChecksRevision, joint-renew",
        "TellsAll, joint-born-again",
    })
    void whoBreaksARuleAdmitsTwoHoldersInTheEnd(String rule, String model, TestReporter reporter) throws Exception {
        specification.isRefuted(model, Map.of(rule, "FALSE"), "OneHolder", reporter);
    }

    @Tag("nightly")
    @Test
    void aJointPhaseThatEndsBeforeAMajorityKnowsOfItAdmitsTwoHolders(TestReporter reporter) throws Exception {
        specification.isRefuted(
                "joint-asleep", Map.of("MajorityTold", "FALSE", "TellsAll", "FALSE"), "OneHolder", reporter);
    }
}
