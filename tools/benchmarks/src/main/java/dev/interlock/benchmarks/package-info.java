// SPDX-License-Identifier: Apache-2.0
/**
 * The strategies measured against what a user would pick instead, as a command line.
 *
 * <p>A {@link dev.interlock.benchmarks.Candidate} is a lock that somebody could choose; an
 * {@link dev.interlock.benchmarks.Opener} opens its clients. A {@link dev.interlock.benchmarks.Scenario} measures one candidate
 * and returns {@link dev.interlock.benchmarks.Figures}; a {@link dev.interlock.benchmarks.Benchmark} takes the candidates through
 * the scenarios in turns; {@link dev.interlock.benchmarks.Renderer} makes tables of what was found.
 */
@NullMarked
package dev.interlock.benchmarks;

import org.jspecify.annotations.NullMarked;
