// SPDX-License-Identifier: Apache-2.0
/** Runs of the simulation: what a seed plans, what must hold, and how a failure is made small. */
@NullMarked
package dev.interlock.simulation.run;

import org.jspecify.annotations.NullMarked;
