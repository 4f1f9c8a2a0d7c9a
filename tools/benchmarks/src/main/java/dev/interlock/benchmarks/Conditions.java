// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.network.PingTimes;
import java.util.List;

/**
 * The conditions of a run, for its report.
 *
 * @param rounds how often each candidate was measured
 * @param seconds how long each measurement took
 * @param roundTrips the measured times of the round trips that were asked for
 * @param leftOut which scenarios were not measured, and which candidates not on which topologies, in sentences
 * @param pinned whether clients and servers shared one core
 */
public record Conditions(int rounds, long seconds, List<PingTimes> roundTrips, List<String> leftOut, boolean pinned) {}
