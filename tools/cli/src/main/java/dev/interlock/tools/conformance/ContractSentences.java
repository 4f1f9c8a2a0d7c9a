// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of the contract in the words of its page. */
public final class ContractSentences {
    private static final Pattern RULE = Pattern.compile("(?m)^### (\\d+\\.\\d+) `\\w+`\n((?:.+\n)*?.+)\\\\\n");

    private ContractSentences() {}

    /**
     * Returns what each rule demands.
     *
     * @param page the text of the page
     * @return sentences by the number of the rule
     */
    public static Map<String, String> parse(String page) {
        Map<String, String> sentences = new TreeMap<>();
        Matcher rule = RULE.matcher(page);
        while (rule.find()) {
            sentences.put(rule.group(1), rule.group(2).replace('\n', ' '));
        }
        return sentences;
    }
}
