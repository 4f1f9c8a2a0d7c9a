// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.TestReporter;

/** One specification, with the models of it that lie beside its module. */
final class Specification {
    private final Path module;

    Specification(String directory, String module) {
        this.module = Path.of(directory, module + ".tla");
    }

    /** The named model, which is a configuration file beside the module. */
    TlcModel model(String name) {
        try {
            return TlcModel.read(module.resolveSibling(name + ".cfg"));
        } catch (IOException e) {
            throw new AssertionError("the model " + name + " cannot be read", e);
        }
    }

    /**
     * Fails unless the named model holds in at least so many states. A model of fewer states says less than it seems
     * to.
     */
    void holds(String name, int states, TestReporter reporter) throws IOException, InterruptedException {
        TlcOutcome outcome = Tlc.check(module, model(name), directory(name), false, states);
        report(name, outcome, reporter);
        assertThat(outcome.verdict())
                .as("the model " + name + "; see " + outcome.file())
                .isEqualTo(TlcOutcome.HOLDS);
        assertThat(outcome.states())
                .as("states that the model " + name + " has")
                .isGreaterThanOrEqualTo(states);
    }

    /**
     * Fails unless the named model is refuted by that invariant, or in that other way, when some constants have other
     * values.
     */
    void isRefuted(String name, Map<String, String> constants, String verdict, TestReporter reporter)
            throws IOException, InterruptedException {
        isRefuted(name, model(name), constants, verdict, reporter);
    }

    /**
     * Fails unless the named model has a behaviour that breaks that temporal property, and not only another one, when
     * some constants have other values.
     */
    void breaksProperty(String name, Map<String, String> constants, String property, TestReporter reporter)
            throws IOException, InterruptedException {
        isRefuted(name, model(name).withProperty(property), constants, TlcOutcome.LIVENESS, reporter);
    }

    private void isRefuted(
            String name, TlcModel model, Map<String, String> constants, String verdict, TestReporter reporter)
            throws IOException, InterruptedException {
        TlcModel mutant = model;
        for (Map.Entry<String, String> constant : constants.entrySet()) {
            mutant = mutant.with(constant.getKey(), constant.getValue());
        }
        String title = name
                + constants.entrySet().stream()
                        .map(Specification::shortly)
                        .sorted()
                        .collect(Collectors.joining("-", "-", ""));
        TlcOutcome outcome = Tlc.check(module, mutant, directory(title), false, 0);
        report(title, outcome, reporter);
        assertThat(outcome.verdict())
                .as("the model " + name + " with " + constants + "; see " + outcome.file())
                .isEqualTo(verdict);
    }

    /**
     * Fails if none of the named models takes some action: what never happens is not checked. TLC takes three times as
     * long when it counts actions.
     */
    void takesAllActions(String... names) throws IOException, InterruptedException {
        takesAllActionsBut(Set.of(), names);
    }

    /** As {@link #takesAllActions}, but for some actions, which must not happen in these models. */
    void takesAllActionsBut(Set<String> impossible, String... names) throws IOException, InterruptedException {
        Map<String, Integer> taken = new TreeMap<>();
        for (String name : names) {
            TlcOutcome outcome = Tlc.check(module, model(name), directory(name + "-counted"), true, 0);
            assertThat(outcome.verdict())
                    .as("the model " + name + "; see " + outcome.file())
                    .isEqualTo(TlcOutcome.HOLDS);
            outcome.actions().forEach((action, times) -> taken.merge(action, times, Integer::sum));
        }
        assertThat(taken)
                .as("actions that the models " + List.of(names) + " know")
                .isNotEmpty();
        taken.values().removeIf(times -> times > 0);
        assertThat(taken.keySet()).as("actions that no model has taken").isEqualTo(impossible);
    }

    /** The name of a rule that is broken; of another constant with its value, which tells its mutants apart. */
    private static String shortly(Map.Entry<String, String> constant) {
        return constant.getValue().equals("FALSE")
                ? constant.getKey()
                : constant.getKey() + constant.getValue().replaceAll("\\W+", "_");
    }

    private Path directory(String title) {
        return Path.of("target", "tlc", name(), title);
    }

    private String name() {
        return module.getFileName().toString().replace(".tla", "");
    }

    /** The log of the leg shows what is printed, and the reports of JUnit what is published: Surefire drops that. */
    void report(String title, TlcOutcome outcome, TestReporter reporter) {
        String result = outcome.verdict() + " in " + outcome.states() + " distinct states";
        System.out.println(name() + " " + title + ": " + result);
        reporter.publishEntry("interlock.spec." + title, result);
    }
}
