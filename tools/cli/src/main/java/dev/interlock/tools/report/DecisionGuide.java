// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The questions of the page that helps to decide, for those who want to click through them. Reads that page, so that
 * the two cannot differ.
 *
 * @param instead what to use instead of a lock: what is wanted, and what does it
 * @param questions the questions, in their order
 */
record DecisionGuide(List<List<String>> instead, List<Question> questions) {
    private static final String INSTEAD = "## When not to use a lock at all";
    private static final Pattern HEADING = Pattern.compile("### \\d+\\. (.+)");
    private static final Pattern LINK = Pattern.compile("\\[([^]]+)]\\(([^)]+)\\)");
    private static final Pattern GO_ON = Pattern.compile("go on(?: with question (\\d+))?|question (\\d+)");

    /**
     * A question.
     *
     * @param title the question
     * @param answers what can be said
     */
    record Question(String title, List<Answer> answers) {}

    /**
     * An answer to a question.
     *
     * @param answer the answer
     * @param then what follows from it
     * @param evidence where that is shown; may be empty
     * @param next the number of the question that comes next, from 1 on; missing where none does
     */
    record Answer(
            String answer,
            String then,
            String evidence,
            @Nullable Integer next) {}

    /** Reads the page. */
    static DecisionGuide parse(String page) {
        List<List<String>> instead = new ArrayList<>();
        List<Question> questions = new ArrayList<>();
        boolean ofInstead = false;
        @Nullable List<Answer> answers = null;
        for (String line : page.lines().toList()) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                answers = new ArrayList<>();
                questions.add(new Question(heading.group(1), answers));
                ofInstead = false;
            } else if (line.startsWith("## ")) {
                answers = null;
                ofInstead = line.equals(INSTEAD);
            } else if (isRow(line) && ofInstead) {
                instead.add(cells(line));
            } else if (isRow(line) && answers != null) {
                List<String> cells = cells(line);
                answers.add(new Answer(cells.get(0), cells.get(1), cells.get(2), next(cells.get(1), questions.size())));
            }
        }
        return new DecisionGuide(List.copyOf(instead), List.copyOf(questions));
    }

    /** Returns whether a line is a row of a table, and neither its heading nor the rule below that. */
    private static boolean isRow(String line) {
        return line.startsWith("| ") && !line.startsWith("| answer |") && !line.startsWith("| you want |");
    }

    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        for (String cell : line.substring(1, line.length() - 1).split("\\|", -1)) {
            cells.add(plain(cell.strip()));
        }
        return cells;
    }

    /** Text without links, which lead nowhere from a page that is somewhere else. */
    private static String plain(String text) {
        return LINK.matcher(text)
                .replaceAll(link -> Matcher.quoteReplacement(
                        link.group(1) + " (docs/" + link.group(2).replaceFirst("#.*", "") + ")"))
                .replace("**", "");
    }

    private static @Nullable Integer next(String then, int question) {
        Matcher goOn = GO_ON.matcher(then);
        if (!goOn.find()) {
            return null;
        }
        String number = goOn.group(1) != null ? goOn.group(1) : goOn.group(2);
        return number == null ? question + 1 : Integer.parseInt(number);
    }
}
