// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.measure.Effort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a comparison.
 *
 * @param kind what kind of file it is: {@value #KIND}
 * @param schemaVersion the version of this form, which changes when a reader of an older one would be misled
 * @param interlock the version of Interlock
 * @param commit the commit of the checkout; missing where there is none
 * @param command how it was made
 * @param finishedAt when it was finished, in ISO-8601 and UTC
 * @param effort the name of the {@link Effort}
 * @param repetitions how often speed was measured
 * @param machine where it was made
 * @param load how many threads wanted a processor when it began and when it was finished; missing where that is not
 *     known
 * @param strategies what was found of each strategy
 * @param faults what they do when things go wrong; missing where that was not looked at
 * @param recommendations which one to take for what
 * @param omitted what was left out, and why, in sentences
 */
public record Report(
        String kind,
        int schemaVersion,
        String interlock,
        @Nullable String commit,
        String command,
        String finishedAt,
        String effort,
        int repetitions,
        Machine machine,
        @Nullable List<Double> load,
        List<StrategyReport> strategies,
        @Nullable FaultReport faults,
        List<Recommendation> recommendations,
        List<String> omitted) {
    public static final String KIND = "comparison";
    public static final int SCHEMA_VERSION = 3;
}
