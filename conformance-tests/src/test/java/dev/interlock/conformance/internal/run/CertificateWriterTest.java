// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Certificate;
import dev.interlock.conformance.certificate.RuleOutcome;
import dev.interlock.conformance.certificate.RuleOutcome.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CertificateWriterTest {
    @Test
    void whatIsPrintedNamesBrokenRulesAndCountsSkippedOnesByReason() {
        List<RuleOutcome> rules = List.of(
                new RuleOutcome(1, 1, "aRuleIsKept", Result.KEPT, ""),
                new RuleOutcome(1, 2, "aRuleIsSkipped", Result.SKIPPED, "needs several\nclients"),
                new RuleOutcome(1, 3, "aRuleIsBroken", Result.BROKEN, "so it is"),
                new RuleOutcome(6, 1, "aRuleIsSkipped", Result.SKIPPED, "the strategy does not declare FAIR"),
                new RuleOutcome(6, 2, "aRuleIsSkipped", Result.SKIPPED, "needs several\nclients"));
        Certificate certificate = new Certificate("a lock", "Kit", "2026-11-30", Map.of(), Map.of(), rules, List.of());

        assertThat(CertificateWriter.announcement(certificate)).isEqualTo("""
                a lock: 1 rules kept, 1 broken, 3 skipped
                  broken: 1.3 a rule is broken
                  2 skipped: needs several clients
                  1 skipped: the strategy does not declare FAIR""");
    }
}
