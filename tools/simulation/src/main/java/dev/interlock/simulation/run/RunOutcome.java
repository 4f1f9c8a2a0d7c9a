// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a run ended.
 *
 * @param violation what did not hold, or empty if everything did
 * @param bitten how often each fault had an effect
 * @param grants how often a lock was granted
 * @param trace what happened, if that was asked for
 */
record RunOutcome(Optional<String> violation, Map<String, Integer> bitten, int grants, List<String> trace) {}
