// SPDX-License-Identifier: Apache-2.0
/** Virtual time: one scheduler that lets one thread run at a time, in an order that a seed decides. */
@NullMarked
package dev.interlock.simulation.time;

import org.jspecify.annotations.NullMarked;
