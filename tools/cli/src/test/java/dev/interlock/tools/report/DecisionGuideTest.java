// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DecisionGuideTest {
    private static DecisionGuide ofThePage() throws Exception {
        return DecisionGuide.parse(Files.readString(Path.of("../../docs/decide.md")));
    }

    @Test
    void thePageAsksFiveQuestionsWithAnswersAndSaysWhatElseWouldDo() throws Exception {
        DecisionGuide guide = ofThePage();

        assertThat(guide.questions())
                .hasSize(5)
                .allSatisfy(question -> assertThat(question.answers()).hasSizeGreaterThan(1));
        assertThat(guide.instead())
                .hasSizeGreaterThan(3)
                .allSatisfy(row -> assertThat(row).hasSize(2));
    }

    @Test
    void eachAnswerLeadsToALaterQuestionOrToAnEnd() throws Exception {
        DecisionGuide guide = ofThePage();

        for (int i = 0; i < guide.questions().size(); i++) {
            int number = i + 1;
            assertThat(guide.questions().get(i).answers())
                    .allSatisfy(answer -> assertThat(answer.next() == null || answer.next() > number)
                            .as(answer.then())
                            .isTrue())
                    .allSatisfy(answer -> assertThat(answer.next() == null
                                    || answer.next() <= guide.questions().size())
                            .isTrue());
        }
        assertThat(guide.questions().get(0).answers().get(0).next()).isEqualTo(2);
        assertThat(guide.questions().get(0).answers().get(2).next()).isNull();
    }

    @Test
    void linksBecomeTextBecauseTheReportMayBeAnywhere() throws Exception {
        assertThat(ofThePage().questions())
                .allSatisfy(question -> assertThat(question.answers())
                        .allSatisfy(answer ->
                                assertThat(answer.then() + answer.evidence()).doesNotContain("](")));
    }
}
