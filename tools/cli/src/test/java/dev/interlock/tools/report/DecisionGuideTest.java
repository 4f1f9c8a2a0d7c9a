// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.report.DecisionGuide.Answer;
import dev.interlock.tools.report.DecisionGuide.Question;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DecisionGuideTest {
    /** The name of a strategy. */
    static final Pattern STRATEGY = Pattern.compile("\\b(?:set-nx-px|setnx-getset|redlock|redisson)\\b");

    private static final Path ROOT = Path.of("../..");
    private static final Pattern VERDICT = Pattern.compile("`([^`]+)` under `([^`]+)` is `([^`]+)`");
    private static final Pattern WORD = Pattern.compile("`(?:safe|blocked|detected|fenced|violated|undecided)`");
    private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)#]*)[^)]*\\)");
    private static final Pattern OPTION = Pattern.compile("`[a-z-]+=[^`]+`");

    static DecisionGuide ofThePage() throws Exception {
        return DecisionGuide.parse(Files.readString(ROOT.resolve("docs/decide.md")));
    }

    /** The answers of a question that are offered after others. */
    static List<Answer> offered(Question question, List<Answer> given) {
        return question.answers().stream()
                .filter(answer -> answer.onlyAfter() == null
                        || given.get(answer.onlyAfter().question() - 1)
                                .answer()
                                .startsWith(answer.onlyAfter().answer()))
                .toList();
    }

    /** All ways through the questions, in the order in which a reader would try them. */
    static List<List<Answer>> paths(DecisionGuide guide) {
        List<List<Answer>> paths = new ArrayList<>();
        walk(guide, 1, List.of(), paths);
        return paths;
    }

    private static void walk(DecisionGuide guide, int number, List<Answer> given, List<List<Answer>> paths) {
        for (Answer answer : offered(guide.questions().get(number - 1), given)) {
            List<Answer> path = new ArrayList<>(given);
            path.add(answer);
            if (answer.next() == null) {
                paths.add(List.copyOf(path));
            } else {
                walk(guide, answer.next(), path, paths);
            }
        }
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
        assertThat(guide.before()).isNotEmpty();
        assertThat(guide.after()).anyMatch(paragraph -> paragraph.contains("when a lease is not enough"));
        assertThat(guide.introduction()).anyMatch(paragraph -> paragraph.contains("`redlock (wait)` is"));
    }

    @Test
    void eachAnswerLeadsToALaterQuestionOrToAnEnd() throws Exception {
        List<Question> questions = ofThePage().questions();

        for (int i = 0; i < questions.size(); i++) {
            int number = i + 1;
            assertThat(questions.get(i).answers())
                    .allSatisfy(answer -> assertThat(answer.next() == null || answer.next() > number)
                            .as(answer.answer())
                            .isTrue())
                    .allSatisfy(answer -> assertThat(answer.next() == null || answer.next() <= questions.size())
                            .isTrue());
        }
        assertThat(questions.get(0).answers().get(0).next()).isEqualTo(2);
        assertThat(questions.get(0).answers().get(2).next()).isNull();
    }

    @Test
    void eachWayThroughTheQuestionsSettlesOneStrategyAndContradictsNothing() throws Exception {
        List<List<Answer>> paths = paths(ofThePage());

        assertThat(paths).hasSizeGreaterThan(50).allSatisfy(path -> {
            String settled = path.stream()
                    .map(answer -> answer.strategy().replaceAll("\\([^)]*\\)", ""))
                    .filter(strategy -> !strategy.isEmpty())
                    .collect(Collectors.joining(" "));
            String others = path.stream()
                    .map(answer -> answer.servers() + " " + answer.options())
                    .map(text -> text.replaceAll("]\\([^)]*\\)", "]"))
                    .collect(Collectors.joining(" "));
            assertThat(STRATEGY.matcher(settled).results().count())
                    .as("strategies of %s", path)
                    .isEqualTo(settled.startsWith("none") ? 0 : 1);
            assertThat(STRATEGY.matcher(others).results())
                    .as("strategies among the options of %s", path)
                    .isEmpty();
            assertThat(OPTION.matcher(others).results().map(MatchResult::group).distinct())
                    .as("options of %s", path)
                    .extracting(option -> option.split("=")[0])
                    .doesNotHaveDuplicates();
            assertThat(path.stream().filter(answer -> !answer.servers().isEmpty()))
                    .as("answers of %s that name servers", path)
                    .hasSizeLessThan(2);
        });
    }

    @Test
    void noWayThroughTheQuestionsWantsFencingTokensOfLocksThatHaveNone() throws Exception {
        assertThat(paths(ofThePage()))
                .filteredOn(path ->
                        path.stream().anyMatch(answer -> answer.options().contains("fencing tokens](")))
                .isNotEmpty()
                .allSatisfy(path -> assertThat(path)
                        .noneMatch(answer -> answer.strategy().contains("setnx-getset"))
                        .noneMatch(answer -> answer.options().contains("fencing=false")));
    }

    @Test
    void eachAnswerHasEvidenceThatIsAPageOrVerdictsOfTheTableOfFaults() throws Exception {
        Set<String> table = Files.readAllLines(ROOT.resolve("docs/fault-table.tsv")).stream()
                .map(line ->
                        String.join(" ", line.split("\t", -1)[0], line.split("\t", -1)[1], line.split("\t", -1)[2]))
                .collect(Collectors.toSet());
        int verdicts = 0;
        for (Question question : ofThePage().questions()) {
            for (Answer answer : question.answers()) {
                List<String> found = VERDICT.matcher(answer.evidence())
                        .results()
                        .map(verdict -> String.join(" ", verdict.group(1), verdict.group(2), verdict.group(3)))
                        .toList();
                assertThat(!found.isEmpty() || answer.evidence().contains("](docs/"))
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
    void linksNameFilesOfTheRepositoryBecauseTheReportMayBeAnywhere() throws Exception {
        List<String> texts = new ArrayList<>();
        DecisionGuide guide = ofThePage();
        texts.addAll(guide.before());
        texts.addAll(guide.after());
        texts.addAll(guide.introduction());
        for (Question question : guide.questions()) {
            texts.addAll(question.notes());
            question.answers()
                    .forEach(answer -> texts.addAll(
                            List.of(answer.strategy(), answer.servers(), answer.options(), answer.evidence())));
        }
        List<String> files = texts.stream()
                .flatMap(text -> LINK.matcher(text).results().map(link -> link.group(1)))
                .toList();

        assertThat(files)
                .hasSizeGreaterThan(20)
                .allSatisfy(file -> assertThat(ROOT.resolve(file)).isRegularFile());
        assertThat(texts)
                .as("anchors are kept")
                .anyMatch(text -> text.contains("(docs/wires.md#the-clients)"))
                .anyMatch(text -> text.contains("(docs/decide.md#when-not-to-use-a-lock-at-all)"));
    }
}
