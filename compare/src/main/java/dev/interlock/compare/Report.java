// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.util.List;

/**
 * What a comparison has found.
 *
 * @param schemaVersion the version of this form, which changes when a reader of an older one would be misled
 * @param finishedAt when it was finished, in ISO-8601 and UTC
 * @param effort the name of the {@link Effort}
 * @param machine where it was made
 * @param strategies what was found of each strategy
 */
record Report(int schemaVersion, String finishedAt, String effort, Machine machine, List<StrategyReport> strategies) {
    static final int SCHEMA_VERSION = 1;
}
