// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance kit run from the command line.
 *
 * <p>A {@link dev.interlock.tools.conformance.RuleRun} runs rules of the kit with one strategy; a
 * {@link dev.interlock.tools.conformance.ConformanceReport} holds the results.
 */
@NullMarked
package dev.interlock.tools.conformance;

import org.jspecify.annotations.NullMarked;
