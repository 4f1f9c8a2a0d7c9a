// SPDX-License-Identifier: Apache-2.0
/**
 * The strategies measured against what a user would pick instead, as a command line.
 *
 * <p>A {@link dev.interlock.benchmarks.candidates.Candidate} is a lock that somebody could choose; an
 * {@link dev.interlock.benchmarks.candidates.Opener} opens its clients. A
 * {@link dev.interlock.benchmarks.scenarios.Scenario} measures one candidate and returns
 * {@link dev.interlock.benchmarks.figures.Figures}; a {@link dev.interlock.benchmarks.Benchmark} takes the candidates
 * through the scenarios in turns; {@link dev.interlock.benchmarks.Renderer} makes tables of what was found.
 */
@NullMarked
package dev.interlock.benchmarks;

import org.jspecify.annotations.NullMarked;
