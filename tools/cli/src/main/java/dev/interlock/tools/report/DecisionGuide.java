// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The questions of the page that helps to decide, for those who want to click through them. Reads that page, so that
 * the two cannot differ. Its texts are Markdown, with code and links; a link names a path from the root of the
 * repository, with its anchor.
 *
 * @param before what is said before the table of what to use instead of a lock, in paragraphs
 * @param instead what to use instead of a lock: what is wanted, and what does it
 * @param after what is said after that table, in paragraphs
 * @param introduction what is said before the first question, in paragraphs
 * @param questions the questions, in their order
 */
record DecisionGuide(
        List<String> before,
        List<List<String>> instead,
        List<String> after,
        List<String> introduction,
        List<Question> questions) {
    private static final String PAGE = "docs/decide.md";
    private static final String INSTEAD = "## When not to use a lock at all";
    private static final String QUESTIONS = "## Five questions";
    private static final Pattern HEADING = Pattern.compile("### \\d+\\. (.+)");
    private static final Pattern LINK = Pattern.compile("\\[([^]]+)]\\(([^)]+)\\)");
    private static final Pattern NEXT = Pattern.compile("question (\\d+)");
    private static final Pattern CONDITION = Pattern.compile("(.+) \\((no|yes) to question (\\d+)\\)");

    /**
     * A question.
     *
     * @param title the question
     * @param notes what is said beside the answers, in paragraphs
     * @param answers what can be said
     */
    record Question(String title, List<String> notes, List<Answer> answers) {}

    /**
     * An answer to a question.
     *
     * @param answer the answer
     * @param onlyAfter for whom it is; missing if it is for all
     * @param strategy the strategy that it settles; may be empty
     * @param servers the servers that it settles; may be empty
     * @param options what it adds to the options; may be empty
     * @param next the number of the question that comes next, from 1 on; missing where none does
     * @param evidence where that is shown
     */
    record Answer(
            String answer,
            @Nullable Condition onlyAfter,
            String strategy,
            String servers,
            String options,
            @Nullable Integer next,
            String evidence) {}

    /**
     * An earlier answer on which another one depends.
     *
     * @param question the number of its question, from 1 on
     * @param answer the word that it begins with
     */
    record Condition(int question, String answer) {}

    /** Reads the page. */
    static DecisionGuide parse(String page) {
        DecisionGuide guide = new DecisionGuide(
                new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        String section = "";
        for (String block : page.split("\n\n+", -1)) {
            Matcher heading = HEADING.matcher(block);
            if (heading.matches()) {
                guide.questions.add(new Question(heading.group(1), new ArrayList<>(), new ArrayList<>()));
            } else if (block.startsWith("## ")) {
                section = block.strip();
            } else if (section.equals(INSTEAD)) {
                guide.readInstead(block);
            } else if (section.equals(QUESTIONS)) {
                guide.readQuestions(block);
            }
        }
        return guide;
    }

    private void readInstead(String block) {
        if (isTable(block)) {
            rows(block).forEach(instead::add);
        } else {
            (instead.isEmpty() ? before : after).add(text(block));
        }
    }

    private void readQuestions(String block) {
        if (questions.isEmpty()) {
            introduction.add(text(block));
            return;
        }
        Question question = questions.get(questions.size() - 1);
        if (isTable(block)) {
            rows(block).forEach(row -> question.answers.add(answer(row)));
        } else {
            question.notes.add(text(block));
        }
    }

    private static Answer answer(List<String> cells) {
        Matcher condition = CONDITION.matcher(cells.get(0));
        Matcher next = NEXT.matcher(cells.get(4));
        return new Answer(
                condition.matches() ? condition.group(1) : cells.get(0),
                condition.matches() ? new Condition(Integer.parseInt(condition.group(3)), condition.group(2)) : null,
                cells.get(1),
                cells.get(2),
                cells.get(3),
                next.matches() ? Integer.valueOf(next.group(1)) : null,
                cells.get(5));
    }

    private static boolean isTable(String block) {
        return block.startsWith("|");
    }

    /** Returns the cells of a table below its heading. */
    private static List<List<String>> rows(String table) {
        return table.lines().skip(2).map(DecisionGuide::cells).toList();
    }

    private static List<String> cells(String row) {
        List<String> cells = new ArrayList<>();
        for (String cell : row.substring(1, row.length() - 1).split("\\|", -1)) {
            cells.add(text(cell));
        }
        return cells;
    }

    /** Returns a text in one line whose links name paths of the repository, since a report may be anywhere. */
    private static String text(String markdown) {
        return LINK.matcher(markdown.strip().replace('\n', ' '))
                .replaceAll(link ->
                        Matcher.quoteReplacement("[" + link.group(1) + "](" + repositoryPath(link.group(2)) + ")"))
                .replace("**", "");
    }

    private static String repositoryPath(String target) {
        return target.startsWith("#") ? PAGE + target : "docs/" + target;
    }
}
