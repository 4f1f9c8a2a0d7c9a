// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the conditions of a script, whose outcomes are its branches: what stands between {@code if}, {@code elseif} or
 * {@code while} and the end of that condition, and what stands before an {@code and} or an {@code or}. Of {@code if a
 * and b or c then} these are {@code a}, {@code b} and {@code c}. Numbers and texts are none.
 */
final class ScriptConditions {
    private static final Pattern TOKEN =
            Pattern.compile("--[^\n]*|'[^'\n]*'|\"[^\"\n]*\"|[A-Za-z_0-9.]+|==|~=|<=|>=|\\S");

    /** Always true in Lua, as in {@code a and 1 or 0}. */
    private static final Pattern LITERAL = Pattern.compile("-?\\d+|'[^']*'|\"[^\"]*\"");

    /** An operand begins behind these. */
    private static final Set<String> BEFORE = Set.of(
            "=",
            ",",
            ";",
            "and",
            "or",
            "return",
            "if",
            "elseif",
            "while",
            "until",
            "in",
            "then",
            "else",
            "do",
            "end",
            "function",
            "local",
            "repeat");

    /** Those of the scripts that were asked for: each run of a simulation asks again. */
    private static final Map<String, ScriptConditions> KNOWN = new ConcurrentHashMap<>();

    private final String source;
    private final List<Condition> found = new ArrayList<>();

    /** Where the operands begin that the present place is in, the innermost last; -1 before the first token of one. */
    private final Deque<Integer> begins = new ArrayDeque<>();

    /**
     * A condition.
     *
     * @param line its first line, from 1
     * @param from where it begins in the source
     * @param to where it ends
     */
    private record Condition(int line, int from, int to) {}

    private ScriptConditions(String source) {
        this.source = source;
    }

    static ScriptConditions of(String source) {
        return KNOWN.computeIfAbsent(source, text -> {
            ScriptConditions conditions = new ScriptConditions(text);
            conditions.find();
            return conditions;
        });
    }

    private void find() {
        begins.push(-1);
        Matcher tokens = TOKEN.matcher(source);
        int end = 0;
        // Of a condition of "if" or "while" the last operand counts too, although nothing joins it to another one.
        boolean deciding = false;
        while (tokens.find()) {
            String token = tokens.group();
            if (token.startsWith("--")) {
                continue;
            }
            boolean ends = token.equals("then") || token.equals("do");
            if (token.equals("and") || token.equals("or") || (ends && deciding)) {
                note(end);
            }
            if (token.equals("if") || token.equals("elseif") || token.equals("while")) {
                deciding = true;
            } else if (ends) {
                deciding = false;
            }
            if (BEFORE.contains(token)) {
                restart(-1);
            } else if (begins.getFirst() < 0) {
                restart(tokens.start());
            }
            if ("([{".contains(token)) {
                begins.push(-1);
            } else if (")]}".contains(token)) {
                begins.pop();
            }
            end = tokens.end();
        }
        found.sort(Comparator.comparingInt(Condition::from));
    }

    private void restart(int at) {
        begins.pop();
        begins.push(at);
    }

    private void note(int end) {
        int from = begins.getFirst();
        if (LITERAL.matcher(source.substring(from, end)).matches()) {
            return;
        }
        int line = 1
                + (int) source.substring(0, from).chars().filter(c -> c == '\n').count();
        found.add(new Condition(line, from, end));
    }

    int count() {
        return found.size();
    }

    int countBeforeLine(int line) {
        return (int) found.stream().filter(condition -> condition.line < line).count();
    }

    int line(int number) {
        return found.get(number).line;
    }

    /** Returns a condition in one line. */
    String text(int number) {
        Condition condition = found.get(number);
        return source.substring(condition.from, condition.to).replaceAll("\\s+", " ");
    }

    /**
     * Returns the source with a call around each condition, in the same lines.
     *
     * @param function is called with the number of a condition and its outcome, which it returns
     * @param first the number of the first condition
     */
    String calling(String function, int first) {
        StringBuilder text = new StringBuilder();
        NavigableMap<Integer, String> insertions = new TreeMap<>();
        for (int i = 0; i < found.size(); i++) {
            insertions.put(found.get(i).from, function + "(" + (first + i) + ", ");
            insertions.merge(found.get(i).to, ")", String::concat);
        }
        int copied = 0;
        for (Map.Entry<Integer, String> insertion : insertions.entrySet()) {
            text.append(source, copied, insertion.getKey()).append(insertion.getValue());
            copied = insertion.getKey();
        }
        text.append(source, copied, source.length());
        return text.toString();
    }
}
