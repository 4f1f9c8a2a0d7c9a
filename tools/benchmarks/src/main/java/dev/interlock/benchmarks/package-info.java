// SPDX-License-Identifier: Apache-2.0
/**
 * The command line that measures the strategies against other locks that a user could choose.
 *
 * <p>A {@link dev.interlock.benchmarks.candidates.Candidate} is a lock that a user could choose; an
 * {@link dev.interlock.benchmarks.candidates.Opener} opens its clients. A
 * {@link dev.interlock.benchmarks.scenarios.Scenario} measures one candidate and returns
 * {@link dev.interlock.benchmarks.figures.Figures}; a {@link dev.interlock.benchmarks.Benchmark} takes the candidates
 * through the scenarios in turns; {@link dev.interlock.benchmarks.Renderer} makes tables of the figures.
 */
@NullMarked
package dev.interlock.benchmarks;

import org.jspecify.annotations.NullMarked;
