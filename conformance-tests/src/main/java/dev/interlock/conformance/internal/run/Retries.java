// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Publishes how often each rule was tried again, and fails a run whose retries exceed its budget.
 *
 * <p>A rule tries again if a machine that stood still may have spoilt it. A lock that fails only sometimes could hide
 * behind these retries, so each is reported in an entry {@value #COUNT} of its test, and each class reports the sum so
 * far. The configuration parameter, or system property, {@value #COUNT} is the number of retries that all classes of a
 * run may have together; without it, they are only reported.
 */
public final class Retries implements AfterEachCallback, AfterAllCallback {
    public static final String COUNT = "interlock.conformance.retries";

    /** The key of the entry with the reasons of a test. */
    public static final String REASONS = COUNT + ".reasons";

    /** The key of the entry with the sum of all classes so far. */
    public static final String TOTAL = COUNT + ".total";

    private static final Namespace NAMESPACE = Namespace.create(Retries.class);

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> reasons =
                ((KitClass) context.getRequiredTestInstance()).state().retries();
        if (reasons.isEmpty()) {
            return;
        }
        Map<String, Long> counts = reasons.stream()
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        context.publishReportEntry(Map.of(COUNT, Integer.toString(reasons.size()), REASONS, counts.toString()));
        String rule = context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName();
        total(context).add(rule, reasons.size());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Total total = total(context);
        context.publishReportEntry(TOTAL, Integer.toString(total.sum()));
        context.getConfigurationParameter(COUNT).map(Integer::valueOf).ifPresent(total::assertWithin);
    }

    /** The retries of a whole run, kept in the store of the root context. */
    private static synchronized Total total(ExtensionContext context) {
        ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        Total total = store.get(Total.class, Total.class);
        if (total == null) {
            total = new Total();
            store.put(Total.class, total);
        }
        return total;
    }

    private static final class Total {
        private final Map<String, Integer> byRule = new TreeMap<>();

        synchronized void add(String rule, int retries) {
            byRule.merge(rule, retries, Integer::sum);
        }

        synchronized int sum() {
            return byRule.values().stream().mapToInt(Integer::intValue).sum();
        }

        synchronized void assertWithin(int budget) {
            if (sum() > budget) {
                throw new AssertionError("the rules were tried again " + sum() + " times, and " + COUNT + " allows "
                        + budget + "; retries of each rule: " + byRule);
            }
        }
    }
}
