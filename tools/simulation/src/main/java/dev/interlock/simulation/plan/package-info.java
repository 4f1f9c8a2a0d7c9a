// SPDX-License-Identifier: Apache-2.0
/** What clients, operators and faults do in the run of a seed. */
@NullMarked
package dev.interlock.simulation.plan;

import org.jspecify.annotations.NullMarked;
