// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Chapter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTest {
    @Test
    void theRulesOfAChapterAreNumberedWithoutGaps() {
        List<String> expected = new ArrayList<>();
        for (Chapter chapter : Chapter.values()) {
            long rules =
                    Rule.ALL.stream().filter(rule -> rule.chapter() == chapter).count();
            for (int i = 1; i <= rules; i++) {
                expected.add(chapter.number() + "." + i);
            }
        }
        assertThat(Rule.ALL).extracting(Rule::id).isEqualTo(expected).isNotEmpty();
    }

    @Test
    void theNameOfARuleIsASentence() {
        assertThat(new Rule(Chapter.EXCLUSION, 1, "oneOf16ClientsGetsAnIOException", "nothing").sentence())
                .isEqualTo("one of 16 clients gets an io exception");
    }

    @Test
    void aRuleIsFoundByItsTest() {
        Rule rule = Rule.ALL.stream()
                .filter(it -> it.id().equals("4.1"))
                .findFirst()
                .orElseThrow();
        assertThat(rule.method()).isEqualTo("rule_4_1_" + rule.name());
    }
}
