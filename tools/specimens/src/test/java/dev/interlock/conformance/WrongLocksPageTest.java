// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.wrong.WrongLocks;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The page that shows which wrong locks break which rule, against the wrong locks themselves. {@value #WRITE}=true
 * writes it anew.
 *
 * <p>{@link WrongLocksTest} and {@link SpecimensTest} check that a lock breaks the rules that it declares.
 */
class WrongLocksPageTest {
    private static final String WRITE = "interlock.pages.write";
    private static final Path PAGE = Path.of("..", "..", "docs", "wrong-locks.md");
    private static final Pattern METHOD = Pattern.compile("rule_(\\d+)_(\\d+)_(\\w+)");

    /** Rules of which no lock is known that breaks them, by number, with the reason. */
    private static final Map<String, String> NOT_REFUTABLE = Map.of();

    /** What a rule also claims and no known lock breaks, by the number of the rule, with the reason. */
    private static final Map<String, String> NOT_REFUTABLE_IN_PART = Map.of(
            "1.14",
            "with two threads that hold the lock at once. No lock is listed that excludes and yet does not make writes"
                    + " visible to the next holder: writes stay unseen only if the compiler or the processor reorders"
                    + " them, which no test can make happen");

    private record Rule(int chapter, int number, String name) {
        static Rule of(Method method) {
            Matcher matcher = METHOD.matcher(method.getName());
            if (!matcher.matches()) {
                throw new IllegalArgumentException(method.getName());
            }
            return new Rule(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), matcher.group(3));
        }

        String id() {
            return chapter + "." + number;
        }

        String link() {
            return "[" + id() + "](contract.md#" + chapter + number + "-" + name.toLowerCase(Locale.ROOT) + ")";
        }
    }

    private static List<Rule> rules() {
        return Arrays.stream(DistributedLockConformance.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(Rule::of)
                .sorted(Comparator.comparingInt(Rule::chapter).thenComparingInt(Rule::number))
                .toList();
    }

    /** The names of the locks that always break a rule, by its number. */
    private static Map<String, Set<String>> locksByRule() {
        Map<String, Set<String>> locks = new TreeMap<>();
        WrongLocks.all().forEach(lock -> lock.breaks().forEach(rule -> add(locks, rule, "`" + lock.name() + "`")));
        Specimens.all().forEach(lock -> lock.breaks().forEach(rule -> add(locks, rule, "`" + lock + "` (Redis)")));
        return locks;
    }

    private static void add(Map<String, Set<String>> locks, String rule, String name) {
        locks.computeIfAbsent(rule, any -> new TreeSet<>()).add(name);
    }

    private static Set<String> ids() {
        return rules().stream().map(Rule::id).collect(Collectors.toSet());
    }

    private static String page() {
        Map<String, Set<String>> locks = locksByRule();
        StringBuilder page = new StringBuilder("""
                # Wrong locks

                A rule that no lock can break proves nothing. For each rule of [the contract](contract.md), this page lists wrong locks
                that break it. Their names say what is wrong with them; their code is in the tests of `tools/specimens`: `Wrong*.java`
                for those in memory, `Specimens.java` for those on Redis. The build runs each of them against the rules that it is
                listed for, and fails if it keeps one. Those on Redis run in the deep leg alone. In CI, so do the %d rules about
                virtual threads, because the fast leg is on JDK 17.

                The deep leg runs the whole kit against %d of the %d in memory and %d of the %d on Redis, and fails if one of them
                breaks a rule that it is not listed for. It leaves out the rules that a lock breaks only if a race goes against it.
                For a lock in memory that is not listed for them, it also leaves out these %d rules under load:
                %s.

                Generated: `mvn test -pl tools/specimens -am -Dtest=WrongLocksPageTest -Dsurefire.failIfNoSpecifiedTests=false
                -Dinterlock.pages.write=true` writes it anew.

                """.formatted(
                        KitRun.rulesAboutVirtualThreads().size(),
                        WrongLocksTest.EXAMINED.size(),
                        WrongLocks.all().count(),
                        Specimens.ofTheSources().count(),
                        Specimens.all().count(),
                        WrongLocksTest.RACES.size(),
                        rules().stream()
                                .map(Rule::id)
                                .filter(WrongLocksTest.RACES::contains)
                                .collect(Collectors.joining(", "))));
        page.append(rules().size() - NOT_REFUTABLE.size())
                .append(" of ")
                .append(rules().size())
                .append(" rules are broken by ")
                .append(WrongLocks.all().count() + Specimens.all().count())
                .append(" wrong locks.\n");
        for (Chapter chapter : Chapter.values()) {
            page.append("\n## ").append(chapter.number()).append(". ").append(chapter.title());
            page.append("\n\n| | rule | wrong locks that break it |\n|---|---|---|\n");
            rules().stream()
                    .filter(rule -> rule.chapter() == chapter.number())
                    .forEach(rule -> page.append("| ")
                            .append(rule.link())
                            .append(" | `")
                            .append(rule.name())
                            .append("` | ")
                            .append(refutation(rule, locks))
                            .append(" |\n"));
        }
        return page.toString();
    }

    private static String refutation(Rule rule, Map<String, Set<String>> locks) {
        String reason = NOT_REFUTABLE.get(rule.id());
        if (reason != null) {
            return "not refutable, because " + reason;
        }
        String names = String.join(", ", locks.getOrDefault(rule.id(), Set.of()));
        String part = NOT_REFUTABLE_IN_PART.get(rule.id());
        return part == null ? names : names + ", " + part;
    }

    @Test
    void thePageIsThatOfTheWrongLocks() throws IOException {
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, page());
        }
        assertThat(PAGE)
                .as("the page; run this test with -D" + WRITE + "=true after a change of rules or wrong locks")
                .exists()
                .hasContent(page());
    }

    @Test
    void everyRuleIsBrokenBySomeLockOrHasAReason() {
        Set<String> answered = Stream.concat(locksByRule().keySet().stream(), NOT_REFUTABLE.keySet().stream())
                .collect(Collectors.toSet());
        assertThat(answered).containsExactlyInAnyOrderElementsOf(ids());
    }

    @Test
    void noRuleThatIsBrokenIsCalledNotRefutable() {
        assertThat(NOT_REFUTABLE.keySet())
                .doesNotContainAnyElementsOf(locksByRule().keySet());
    }

    @Test
    void someLockBreaksEachRuleThatIsNotRefutableInPart() {
        assertThat(locksByRule().keySet()).containsAll(NOT_REFUTABLE_IN_PART.keySet());
    }
}
