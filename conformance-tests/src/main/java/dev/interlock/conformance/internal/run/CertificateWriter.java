// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import dev.interlock.conformance.certificate.Certificate;
import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.certificate.RuleOutcome;
import dev.interlock.conformance.certificate.RuleOutcome.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.opentest4j.TestAbortedException;

/**
 * Writes a {@link Certificate} of each run of a kit, and prints its summary. The configuration parameter or system
 * property {@value #PROPERTY} names the directory; {@value #NONE} switches certificates off.
 */
public final class CertificateWriter implements AfterEachCallback, AfterAllCallback {
    /** The property that names the directory. */
    public static final String PROPERTY = "interlock.conformance.certificates";

    /** The value that switches certificates off. */
    public static final String NONE = "none";

    private static final String DIRECTORY = "target/conformance";
    private static final Chapter LAST_PLAIN_CHAPTER = Chapter.TIMED_WAITS;
    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_(\\w+)");
    private static final Namespace NAMESPACE = Namespace.create(CertificateWriter.class);

    private static final List<String> NEVER_TESTED = List.of(
            "How fast the lock is, and how evenly it is granted where it does not promise to be fair.",
            "Whether it holds through days of use: leaks that are slower than a test.",
            "Clocks that jump, or that run faster on one machine than on another.",
            "Servers that fail one by one: a failover, a split network, a replica that lags behind.",
            "Whether the rules hold on backends, versions and options other than those of this run.");

    /** The outcomes of one run of a kit. A parameterized class makes several runs. */
    private static final class Run {
        private final String kit;
        private final String subject;
        private final Map<String, RuleOutcome> outcomes = new ConcurrentHashMap<>();

        /** Empty until a rule has opened a harness. */
        private volatile Optional<String> strategy = Optional.empty();

        /** Empty until a rule has opened a harness. */
        private volatile Map<String, String> options = Map.of();

        Run(String kit, String subject) {
            this.kit = kit;
            this.subject = subject;
        }
    }

    /** All runs of one execution of tests, by the unique id of the class or invocation that contains the rules. */
    private static final class Runs {
        private final Map<String, Run> byId = new ConcurrentHashMap<>();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (directory(context).isEmpty()) {
            return;
        }
        RuleOutcome outcome = outcome(
                context.getRequiredTestMethod().getName(),
                context.getExecutionException().orElse(null));
        if (outcome != null) {
            ExtensionContext parent = context.getParent().orElseThrow();
            KitClass.State state = ((KitClass) context.getRequiredTestInstance()).state();
            Run run = runs(context)
                    .byId
                    .computeIfAbsent(
                            parent.getUniqueId(), first -> new Run(state.kit(), subject(state, context, parent)));
            run.outcomes.put(outcome.id(), outcome);
            state.strategy().ifPresent(strategy -> run.strategy = Optional.of(strategy));
            if (!state.options().isEmpty()) {
                run.options = state.options();
            }
        }
    }

    private static String subject(KitClass.State state, ExtensionContext context, ExtensionContext parent) {
        boolean ofClass = parent.getUniqueId().equals(classContext(context).getUniqueId());
        return state.subject() + (ofClass ? "" : " " + parent.getDisplayName());
    }

    /**
     * The outermost context of the test class: within it, a parameterized class has one for each of its invocations.
     */
    private static ExtensionContext classContext(ExtensionContext context) {
        ExtensionContext current = context;
        while (current.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
            current = current.getParent().orElseThrow();
        }
        return current;
    }

    private static Map<String, String> versions(Run run) {
        Map<String, String> versions = new LinkedHashMap<>();
        run.strategy.ifPresent(it -> versions.put("Strategy", it));
        versions.put("Interlock", version(CertificateWriter.class));
        versions.put("JUnit", version(Test.class));
        versions.put("Java", System.getProperty("java.vm.name") + " " + Runtime.version());
        versions.put(
                "System",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors");
        return versions;
    }

    private static String version(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        return version == null ? "not known" : version;
    }

    private static @Nullable RuleOutcome outcome(String method, @Nullable Throwable thrown) {
        if (thrown == null) {
            return rule(method, Result.KEPT, "");
        }
        String reason = String.valueOf(thrown.getMessage());
        return thrown instanceof TestAbortedException
                ? rule(method, Result.SKIPPED, reason.replaceFirst("^Assumption failed: ", ""))
                : rule(method, Result.BROKEN, thrown instanceof AssertionError ? reason : thrown.toString());
    }

    private static @Nullable RuleOutcome rule(String method, Result result, String reason) {
        Matcher matcher = RULE.matcher(method);
        return matcher.matches()
                ? new RuleOutcome(
                        Integer.parseInt(matcher.group(1)),
                        Integer.parseInt(matcher.group(2)),
                        matcher.group(3),
                        result,
                        reason)
                : null;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Optional<Path> directory = directory(context);
        if (directory.isEmpty()) {
            return;
        }
        Class<?> kit = context.getRequiredTestClass();
        runs(context).byId.forEach((id, run) -> {
            if (id.startsWith(classContext(context).getUniqueId())) {
                publish(certificate(kit, run), directory.get());
            }
        });
    }

    private static Certificate certificate(Class<?> kit, Run run) {
        List<RuleOutcome> rules = new ArrayList<>();
        for (var method : kit.getMethods()) {
            RuleOutcome rule = rule(method.getName(), Result.NOT_RUN, "");
            if (rule != null) {
                rules.add(run.outcomes.getOrDefault(rule.id(), rule));
            }
        }
        rules.sort(Comparator.comparingInt(RuleOutcome::chapter).thenComparingInt(RuleOutcome::number));
        boolean plain = rules.stream().noneMatch(rule -> rule.chapter() > LAST_PLAIN_CHAPTER.number());
        List<String> notTested = new ArrayList<>(plain ? List.of(furtherChapters()) : List.of());
        notTested.addAll(NEVER_TESTED);
        return new Certificate(
                run.subject,
                run.kit,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                versions(run),
                run.options,
                rules,
                notTested);
    }

    /** Names the chapters that plain locks are never asked about. */
    private static String furtherChapters() {
        List<Chapter> further = EnumSet.allOf(Chapter.class).stream()
                .filter(chapter -> chapter.compareTo(LAST_PLAIN_CHAPTER) > 0)
                .toList();
        return "Chapters " + further.get(0).number() + " to "
                + further.get(further.size() - 1).number() + " of the contract: "
                + further.stream().map(Chapter::title).collect(Collectors.joining("; ")) + ".";
    }

    private static void publish(Certificate certificate, Path directory) {
        String file = String.join(
                "-",
                Arrays.stream(certificate.subject().split("[^\\p{Alnum}._]+"))
                        .filter(part -> !part.isEmpty())
                        .toList());
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(file + ".md"), certificate.markdown());
            Files.writeString(directory.resolve(file + ".json"), certificate.json());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the certificate of " + certificate.subject(), e);
        }
        System.out.println(announcement(certificate) + "\n  certificate: " + directory.resolve(file + ".md"));
    }

    /** Returns the numbers of rules, each rule that is broken, and each reason for which rules were skipped. */
    static String announcement(Certificate certificate) {
        StringBuilder text = new StringBuilder(certificate.summary());
        certificate
                .with(Result.BROKEN)
                .forEach(rule -> text.append("\n  broken: ")
                        .append(rule.id())
                        .append(' ')
                        .append(rule.sentence()));
        certificate.with(Result.SKIPPED).stream()
                .collect(Collectors.groupingBy(
                        rule -> rule.reason().replaceAll("\\s+", " ").strip(),
                        LinkedHashMap::new,
                        Collectors.counting()))
                .forEach((reason, rules) ->
                        text.append("\n  ").append(rules).append(" skipped: ").append(reason));
        return text.toString();
    }

    private static Optional<Path> directory(ExtensionContext context) {
        String directory = context.getConfigurationParameter(PROPERTY).orElse(DIRECTORY);
        return directory.equals(NONE) ? Optional.empty() : Optional.of(Path.of(directory));
    }

    private static Runs runs(ExtensionContext context) {
        ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        synchronized (CertificateWriter.class) {
            Runs runs = store.get(Runs.class, Runs.class);
            if (runs == null) {
                runs = new Runs();
                store.put(Runs.class, runs);
            }
            return runs;
        }
    }
}
