// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs a kit in a JVM of its own, with the JUnit that is on its class path. */
final class KitLauncher {
    private KitLauncher() {}

    public static void main(String[] args) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(args[0]))
                                .build(),
                        listener);
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        listener.getSummary().printFailuresTo(out);
        out.println("succeeded " + listener.getSummary().getTestsSucceededCount() + ", failed "
                + listener.getSummary().getTestsFailedCount());
    }
}
