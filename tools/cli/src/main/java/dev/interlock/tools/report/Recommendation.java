// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import org.jspecify.annotations.Nullable;

/**
 * Which strategy to take.
 *
 * @param need what is needed of a lock
 * @param strategy the name of the strategy, or missing if none of those that were compared will do
 * @param reason why
 */
public record Recommendation(String need, @Nullable String strategy, String reason) {}
