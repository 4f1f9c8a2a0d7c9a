// SPDX-License-Identifier: Apache-2.0
/** Runs of the simulation: the plan of a seed, the properties that are checked, and the reduction of a failing plan. */
@NullMarked
package dev.interlock.simulation.run;

import org.jspecify.annotations.NullMarked;
