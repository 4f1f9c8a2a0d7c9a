// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.network.PingTimes;
import java.util.List;

/**
 * How a run was made, for its report.
 *
 * @param rounds how often each was measured
 * @param seconds for how long
 * @param roundTrips what the round trips were that were asked for
 * @param leftOut which candidates were not measured on which topologies, in sentences
 */
public record Conditions(int rounds, long seconds, List<PingTimes> roundTrips, List<String> leftOut) {}
