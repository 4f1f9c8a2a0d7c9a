// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.harness.Needs;
import dev.interlock.spi.Capability;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares {@code docs/contract.md} with the rules of the kit. */
class ContractTest {
    private static final Path CONTRACT = Path.of("..", "docs", "contract.md");
    private static final Pattern METHOD = Pattern.compile("rule_(\\d+)_(\\d+)_(\\w+)");
    private static final Pattern RULE = Pattern.compile("### (\\d+)\\.(\\d+) `(\\w+)`\n"
            + "(?<text>(?:(?!\\*Intent).+\n)+)"
            + "\\*Intent:\\* (?<intent>(?:.+\n)*?.+)\\\\\n"
            + "\\*Depends on:\\* (?<needs>.+)\\\\\n"
            + "\\*If this fails, look at\\* (?<look>(?:.+\n)+)");

    private record Rule(String name, String needs) {}

    private static Map<String, Rule> written() throws IOException {
        String contract = Files.readString(CONTRACT);
        Map<String, Rule> rules = new TreeMap<>();
        Matcher matcher = RULE.matcher(contract);
        while (matcher.find()) {
            rules.put(matcher.group(1) + "." + matcher.group(2), new Rule(matcher.group(3), matcher.group("needs")));
        }
        assertThat(contract.lines().filter(line -> line.startsWith("### ")))
                .as("headings of rules, all of which must have the same form")
                .hasSize(rules.size());
        return rules;
    }

    private static List<Method> tests() {
        return Arrays.stream(DistributedLockConformance.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .toList();
    }

    private static Map<String, Rule> tested() {
        Map<String, Rule> rules = new TreeMap<>();
        for (Method method : tests()) {
            Matcher matcher = METHOD.matcher(method.getName());
            assertThat(matcher.matches()).as(method.getName()).isTrue();
            String number = matcher.group(1) + "." + matcher.group(2);
            assertThat(rules.put(number, new Rule(matcher.group(3), needs(method))))
                    .as("another rule with the number " + number)
                    .isNull();
        }
        return rules;
    }

    private static String needs(Method method) {
        Needs needs = method.getAnnotation(Needs.class);
        List<String> all = new ArrayList<>();
        if (needs != null) {
            Arrays.stream(needs.value()).map(Capability::name).forEach(name -> all.add("`" + name + "`"));
            Arrays.stream(needs.without()).forEach(capability -> all.add("`without " + capability + "`"));
            Arrays.stream(needs.faults()).forEach(fault -> all.add("`fault " + fault + "`"));
            if (needs.processes()) {
                all.add("`processes`");
            }
            if (needs.signals()) {
                all.add("`signals`");
            }
            if (needs.virtualThreads()) {
                all.add("`virtual threads`");
            }
        }
        return all.isEmpty() ? "nothing" : String.join(", ", all);
    }

    @Test
    void everyRuleIsWrittenAndTestedUnderOneNumberNameAndDependency() throws IOException {
        assertThat(tested()).isEqualTo(written());
    }

    @Test
    void theRulesOfAChapterAreNumberedWithoutGap() {
        Map<Integer, List<Integer>> chapters = tested().keySet().stream()
                .map(number -> number.split("\\."))
                .collect(Collectors.groupingBy(
                        parts -> Integer.parseInt(parts[0]),
                        TreeMap::new,
                        Collectors.mapping(
                                parts -> Integer.parseInt(parts[1]),
                                Collectors.collectingAndThen(Collectors.toCollection(TreeSet::new), List::copyOf))));
        assertThat(chapters.keySet()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        chapters.forEach((chapter, numbers) -> assertThat(numbers)
                .as("chapter " + chapter)
                .isEqualTo(IntStream.rangeClosed(1, numbers.size()).boxed().toList()));
    }

    @Test
    void everyRuleSaysWhatMustBe() throws IOException {
        Matcher matcher = RULE.matcher(Files.readString(CONTRACT));
        while (matcher.find()) {
            assertThat(matcher.group("text"))
                    .as("rule " + matcher.group(1) + "." + matcher.group(2))
                    .containsPattern("\\b(MUST|MUST NOT|SHOULD|SHOULD NOT|MAY)\\b");
        }
    }

    @Test
    void everyRuleIsOneSentence() throws IOException {
        Matcher matcher = RULE.matcher(Files.readString(CONTRACT));
        while (matcher.find()) {
            assertThat(matcher.group("text").replaceAll("`[^`]*`", "code").replaceAll("\\\\?\n", " "))
                    .as("rule " + matcher.group(1) + "." + matcher.group(2))
                    .matches("[^.;!?]+\\. ");
        }
    }

    @Test
    void everyRuleHasTheTagOfItsChapter() {
        assertThat(tests()).allSatisfy(method -> {
            Matcher matcher = METHOD.matcher(method.getName());
            assertThat(matcher.matches()).isTrue();
            assertThat(method.getAnnotationsByType(Tag.class))
                    .as(method.getName())
                    .extracting(Tag::value)
                    .containsExactly("chapter-" + matcher.group(1));
        });
        assertThat(DistributedLockConformance.class.getAnnotationsByType(Tag.class))
                .extracting(Tag::value)
                .containsExactly("conformance");
    }

    @Test
    void noTestCanBeSwitchedOff() {
        assertThat(tests()).allMatch(method -> Modifier.isFinal(method.getModifiers()));
    }

    @Test
    void thereAreAtLeastAHundredAndTwentyRules() {
        assertThat(tests()).hasSizeGreaterThanOrEqualTo(120);
    }
}
