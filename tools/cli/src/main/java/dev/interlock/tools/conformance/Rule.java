// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.PlainLockConformance;
import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.spi.Capability;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule of the contract, as its test in the kit declares it.
 *
 * @param chapter its chapter
 * @param number its number in the chapter
 * @param name its name, a sentence in camel case
 * @param needs what it depends on, in the words of the contract
 */
public record Rule(Chapter chapter, int number, String name, String needs) {
    private static final Pattern METHOD = Pattern.compile("rule_(\\d+)_(\\d+)_(\\w+)");

    /** All rules of the kit, in the order of their numbers. */
    public static final List<Rule> ALL = Arrays.stream(DistributedLockConformance.class.getMethods())
            .flatMap(method -> of(method).stream())
            .sorted(Comparator.comparing(Rule::chapter).thenComparingInt(Rule::number))
            .toList();

    /** The rules that apply to any {@link java.util.concurrent.locks.Lock}. */
    public static final List<Rule> OF_PLAIN_LOCKS = Arrays.stream(PlainLockConformance.class.getMethods())
            .flatMap(method -> of(method).stream())
            .sorted(Comparator.comparing(Rule::chapter).thenComparingInt(Rule::number))
            .toList();

    private static Optional<Rule> of(Method method) {
        Matcher matcher = METHOD.matcher(method.getName());
        return matcher.matches()
                ? Optional.of(new Rule(
                        chapterOf(Integer.parseInt(matcher.group(1))),
                        Integer.parseInt(matcher.group(2)),
                        matcher.group(3),
                        needs(method)))
                : Optional.empty();
    }

    private static Chapter chapterOf(int number) {
        return Arrays.stream(Chapter.values())
                .filter(chapter -> chapter.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static String needs(Method method) {
        Needs needs = method.getAnnotation(Needs.class);
        List<String> words = new ArrayList<>();
        if (needs != null) {
            for (Capability capability : needs.value()) {
                words.add(capability.name());
            }
            for (Capability capability : needs.without()) {
                words.add("without " + capability);
            }
            for (Fault fault : needs.faults()) {
                words.add("fault " + fault);
            }
            if (needs.processes()) {
                words.add("processes");
            }
            if (needs.signals()) {
                words.add("signals");
            }
            if (needs.virtualThreads()) {
                words.add("virtual threads");
            }
        }
        return words.isEmpty() ? "nothing" : String.join(", ", words);
    }

    /** Its number in the contract, such as 4.2. */
    public String id() {
        return chapter.number() + "." + number;
    }

    /** The name of its test. */
    String method() {
        return "rule_" + chapter.number() + "_" + number + "_" + name;
    }

    /** Its name in words. */
    public String sentence() {
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
