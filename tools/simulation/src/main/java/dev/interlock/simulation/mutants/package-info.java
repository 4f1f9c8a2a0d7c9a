// SPDX-License-Identifier: Apache-2.0
/** Deliberate errors in the scripts and commands of the strategies, which the simulation has to find. */
@NullMarked
package dev.interlock.simulation.mutants;

import org.jspecify.annotations.NullMarked;
