// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outcome of a run.
 *
 * @param violation the property that did not hold, or empty if all did
 * @param effects how often each fault had an effect
 * @param grants how often a lock was granted
 * @param trace the events, if a trace was asked for
 * @param stuck whether the run was given up since a thread went on without end, which takes a minute to notice
 */
record RunOutcome(
        Optional<String> violation, Map<String, Integer> effects, int grants, List<String> trace, boolean stuck) {}
