// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.plainlocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.interlock.conformance.PlainLockConformance;
import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.harness.Needs;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The rules that three locks keep and break, and the page about that. */
class PlainLocksTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "plain-locks.md");
    private static final boolean WRITE = Boolean.getBoolean("interlock.pages.write");
    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_(\\w+)");

    private static final String JDK = "`ReentrantLock`";
    private static final String REDISSON = "Redisson `RLock`";
    private static final String SPRING = "Spring `RedisLockRegistry`";

    /** The rules that each lock is known to break, so that a change of a lock or of a rule is noticed. */
    private static final Map<String, Set<String>> BREAKS = Map.of(
            JDK,
            Set.of(),
            REDISSON,
            Set.of("1.18", "3.19", "4.2", "4.3", "4.4", "4.9", "4.19", "4.20", "4.26"),
            SPRING,
            Set.of(
                    "1.5", "1.18", "2.1", "2.2", "2.3", "2.4", "2.5", "2.11", "2.12", "2.42", "3.12", "4.2", "4.3",
                    "4.5", "4.6", "4.10", "4.19", "4.26", "5.7", "5.8", "5.9", "5.15", "5.22"));

    /**
     * Rules that are broken in some runs only: if an interrupt comes before the reply to a command, or if a wait is a
     * millisecond too short.
     */
    private static final Map<String, Set<String>> BREAKS_AT_TIMES = Map.of(
            JDK,
            Set.of(),
            REDISSON,
            Set.of("4.1", "4.5", "4.6", "4.7", "4.8", "4.10", "4.15", "5.3", "5.6", "5.7", "5.15", "5.16"),
            SPRING,
            Set.of("4.1", "4.7"));

    private static final String NOTES = """
            Most of what is broken comes from a few causes:

            - Redisson: a thread that is interrupted before the reply to its command is there gets a `RedisException`,
              from `lock()`, `tryLock()` and `unlock()` too; whether the lock is held then is not known. A timed wait
              counts whole milliseconds and may end one early. A time of `Long.MIN_VALUE` overflows if the first
              command takes a millisecond, and is then waited for without end.
            - Spring: locks whose names have hash codes that agree in their last ten bits share one local lock, and
              exclude each other within a JVM. `unlock()` by a thread that does not hold the lock throws an
              `IllegalStateException`, not an `IllegalMonitorStateException`. An interrupt before the reply to a command
              becomes a `CannotAcquireLockException`, from `lock()` too. The longest times overflow. A timed wait begins anew
              when it has got past the threads of its own JVM.
            """;

    private record Rule(int chapter, int number, String name) {
        static Rule of(String method) {
            Matcher matcher = RULE.matcher(method);
            assertThat(matcher.lookingAt()).as(method).isTrue();
            return new Rule(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), matcher.group(3));
        }

        String id() {
            return chapter + "." + number;
        }

        String link() {
            return "[" + id() + "](contract.md#" + chapter + number + "-" + name.toLowerCase(Locale.ROOT) + ")";
        }

        String sentence() {
            return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                    .toLowerCase(Locale.ROOT);
        }
    }

    /** The outcome of a rule, with the failure message if it was not kept. */
    private record Outcome(Status status, String said) {}

    private static Map<Rule, Outcome> run(Class<? extends PlainLockConformance> kit) {
        Map<Rule, Outcome> outcomes = new LinkedHashMap<>();
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(kit))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter(
                        "junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .execute()
                .testEvents()
                .finished()
                .stream()
                .forEach(event -> outcomes.put(Rule.of(event.getTestDescriptor().getDisplayName()), outcome(event)));
        return outcomes;
    }

    private static Outcome outcome(Event event) {
        TestExecutionResult result = event.getRequiredPayload(TestExecutionResult.class);
        return new Outcome(
                result.getStatus(),
                result.getThrowable().map(Throwable::toString).orElse(""));
    }

    private static Map<String, String> broken(Map<Rule, Outcome> outcomes) {
        Map<String, String> broken = new TreeMap<>();
        outcomes.forEach((rule, outcome) -> {
            if (outcome.status() == Status.FAILED) {
                broken.put(rule.id(), outcome.said());
            }
        });
        return broken;
    }

    private static void assertBreaksWhatIsKnown(String lock, Map<Rule, Outcome> outcomes) {
        Map<String, String> broken = broken(outcomes);
        Set<String> others = new TreeSet<>(broken.keySet());
        others.removeAll(BREAKS_AT_TIMES.get(lock));
        assertThat(others)
                .as("the rules that " + lock + " breaks; what they said: " + broken)
                .isEqualTo(new TreeSet<>(BREAKS.get(lock)));
    }

    @Test
    void theLockOfTheJdkBreaksNoRule() {
        assertBreaksWhatIsKnown(JDK, run(Kits.ReentrantLockKit.class));
    }

    @Test
    @Tag("deep")
    void thePageSaysWhatEachLockKeepsAndBreaks() throws Exception {
        Map<String, Map<Rule, Outcome>> locks = new LinkedHashMap<>();
        locks.put(JDK, run(Kits.ReentrantLockKit.class));
        locks.put(REDISSON, run(Kits.RedissonKit.class));
        locks.put(SPRING, run(Kits.SpringKit.class));
        if (WRITE) {
            Files.writeString(PAGE, page(locks));
        }
        locks.forEach(PlainLocksTest::assertBreaksWhatIsKnown);
        assertThat(PAGE).hasContent(page(locks));
    }

    /**
     * The mark of a rule. It follows the known results, so that the page does not change from run to run; the test
     * compares these with the run.
     */
    private static String mark(String lock, Rule rule, Outcome outcome) {
        if (outcome.status() == Status.ABORTED) {
            return "–";
        }
        if (BREAKS_AT_TIMES.get(lock).contains(rule.id())) {
            return "±";
        }
        return BREAKS.get(lock).contains(rule.id()) ? "✗" : "✓";
    }

    private static String page(Map<String, Map<Rule, Outcome>> locks) {
        StringBuilder page = new StringBuilder("""
                # Which rules other locks keep

                [Chapters 1 to 5 of the contract](contract.md) apply to any `java.util.concurrent.locks.Lock`. This page shows the
                results of three locks in their default configuration: that of the JDK, that of Redisson, and that of Spring
                Integration, the last two with several clients on one Redis server. [How to try another
                lock](writing-a-strategy.md#a-lock-that-is-no-strategy).

                A broken rule is no defect if the lock never promised it: `Lock` leaves exceptions and the exactness of time-outs to its
                implementations. A broken rule shows what a program must not rely on. Written by `PlainLocksTest` of
                [examples/plain-locks](../examples/plain-locks), which fails if a lock keeps or breaks other rules.

                """);
        page.append("| |");
        locks.keySet().forEach(name -> page.append(' ').append(name).append(" |"));
        page.append("\n|---|").append("---|".repeat(locks.size()));
        count(page, "✓ kept", locks);
        count(page, "✗ broken", locks);
        count(page, "± broken in some runs", locks);
        count(page, "– skipped: the lock lacks a feature that the rule needs", locks);
        page.append("\n\nRules that apply to none of them, and those about virtual threads, are left out.\n\n")
                .append(NOTES);
        for (Chapter chapter : Arrays.asList(Chapter.values()).subList(0, 5)) {
            page.append("\n## ")
                    .append(chapter.number())
                    .append(". ")
                    .append(chapter.title())
                    .append("\n\n| rule | |");
            locks.keySet().forEach(name -> page.append(' ').append(name).append(" |"));
            page.append("\n|---|---|").append("---|".repeat(locks.size())).append('\n');
            rules(locks).stream()
                    .filter(rule -> rule.chapter() == chapter.number())
                    .forEach(rule -> {
                        page.append("| ")
                                .append(rule.link())
                                .append(" | ")
                                .append(rule.sentence())
                                .append(" |");
                        locks.forEach((lock, outcomes) -> page.append(' ')
                                .append(mark(lock, rule, outcomes.get(rule)))
                                .append(" |"));
                        page.append('\n');
                    });
        }
        return page.toString();
    }

    /** Counts the rules with the mark that a label begins with. */
    private static void count(StringBuilder page, String label, Map<String, Map<Rule, Outcome>> locks) {
        page.append("\n| ").append(label).append(" |");
        locks.forEach((lock, outcomes) -> page.append(' ')
                .append(rules(locks).stream()
                        .filter(rule -> label.startsWith(mark(lock, rule, outcomes.get(rule))))
                        .count())
                .append(" |"));
    }

    /** The rules that apply to at least one of the locks, on any JVM. */
    private static List<Rule> rules(Map<String, Map<Rule, Outcome>> locks) {
        return Arrays.stream(PlainLockConformance.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class) && !isAboutVirtualThreads(method))
                .map(method -> Rule.of(method.getName()))
                .filter(rule -> locks.values().stream()
                        .anyMatch(outcomes -> outcomes.get(rule).status() != Status.ABORTED))
                .sorted(Comparator.comparingInt(Rule::chapter).thenComparingInt(Rule::number))
                .toList();
    }

    private static boolean isAboutVirtualThreads(Method method) {
        Needs needs = method.getAnnotation(Needs.class);
        return needs != null && needs.virtualThreads();
    }
}
