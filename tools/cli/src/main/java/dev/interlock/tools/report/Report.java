// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.LockConfig;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.measure.Effort;
import dev.interlock.tools.measure.MeasuredStrategy;
import java.util.List;
import java.util.Map;
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
 * @param repetitions in how many rounds speed was measured, and the locks of other libraries were asked the rules
 * @param machine where it was made
 * @param load how many threads wanted a processor when it began and when it was finished; missing where that is not
 *     known
 * @param strategies what was found of each strategy
 * @param faults what they do when things go wrong; missing where that was not looked at
 * @param recommendations which one to take for what
 * @param omitted what was left out, and why, in sentences
 * @param speedTerms the settings with which speed was measured; missing in reports of former versions
 * @param libraries the versions of the libraries that spoke to Redis, by their artifacts; missing in reports of former
 *     versions
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
        List<String> omitted,
        @Nullable SpeedTerms speedTerms,
        @Nullable Map<String, String> libraries) {
    public static final String KIND = "comparison";
    public static final int SCHEMA_VERSION = 3;

    /**
     * The settings with which the speed of all locks was measured.
     *
     * @param leaseMillis the lease
     * @param commandTimeoutMillis the time-out of commands
     */
    public record SpeedTerms(long leaseMillis, long commandTimeoutMillis) {
        /** Returns those of this version. */
        public static SpeedTerms present() {
            LockConfig terms = MeasuredStrategy.terms();
            return new SpeedTerms(
                    terms.lockDefaults().lease().toMillis(),
                    terms.commandTimeout().toMillis());
        }
    }
}
