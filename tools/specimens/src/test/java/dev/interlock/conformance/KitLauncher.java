// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs a kit, or some of its rules, in a JVM of its own, with the JUnit that is on its class path. */
final class KitLauncher {
    private KitLauncher() {}

    /** Takes the name of the class, and the numbers of the rules, such as 12.1; all if there are none. */
    public static void main(String[] args) throws ClassNotFoundException {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors(
                                        Class.forName(args[0]),
                                        Arrays.asList(args).subList(1, args.length)))
                                .build(),
                        listener);
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        listener.getSummary().printFailuresTo(out);
        out.println("succeeded " + listener.getSummary().getTestsSucceededCount() + ", failed "
                + listener.getSummary().getTestsFailedCount());
    }

    private static List<? extends DiscoverySelector> selectors(Class<?> kit, List<String> rules) {
        if (rules.isEmpty()) {
            return List.of(selectClass(kit));
        }
        return Stream.of(kit.getMethods())
                .filter(method -> rules.stream()
                        .map(rule -> "rule_" + rule.replace('.', '_') + "_")
                        .anyMatch(method.getName()::startsWith))
                .map(method -> selectMethod(kit, method))
                .toList();
    }
}
