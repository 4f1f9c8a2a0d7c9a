// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DecisionGuideTest {
    private static final Pattern VERDICT = Pattern.compile("`([^`]+)` under `([^`]+)` is `([^`]+)`");
    private static final Pattern WORD = Pattern.compile("`(?:safe|blocked|detected|fenced|violated|undecided)`");

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
    void eachAnswerHasEvidenceThatIsAPageOrVerdictsOfTheTableOfFaults() throws Exception {
        Set<String> table = Files.readAllLines(Path.of("../../docs/fault-table.tsv")).stream()
                .map(line ->
                        String.join(" ", line.split("\t", -1)[0], line.split("\t", -1)[1], line.split("\t", -1)[2]))
                .collect(Collectors.toSet());
        int verdicts = 0;
        for (DecisionGuide.Question question : ofThePage().questions()) {
            for (DecisionGuide.Answer answer : question.answers()) {
                List<String> found = VERDICT.matcher(answer.evidence())
                        .results()
                        .map(verdict -> String.join(" ", verdict.group(1), verdict.group(2), verdict.group(3)))
                        .toList();
                assertThat(!found.isEmpty() || answer.evidence().contains("(docs/"))
                        .as("the evidence for: " + answer.answer())
                        .isTrue();
                assertThat(table).as("the table of faults").containsAll(found);
                assertThat(WORD.matcher(answer.evidence()).results())
                        .as("verdicts with a strategy and a fault, for: " + answer.answer())
                        .hasSameSizeAs(found);
                verdicts += found.size();
            }
        }
        assertThat(verdicts).isGreaterThan(10);
        assertThat(table).noneMatch(line -> line.contains(" stopped-writing safe"));
    }

    @Test
    void linksBecomeTextBecauseTheReportMayBeAnywhere() throws Exception {
        assertThat(ofThePage().questions())
                .allSatisfy(question -> assertThat(question.answers())
                        .allSatisfy(answer ->
                                assertThat(answer.then() + answer.evidence()).doesNotContain("](")));
    }
}
