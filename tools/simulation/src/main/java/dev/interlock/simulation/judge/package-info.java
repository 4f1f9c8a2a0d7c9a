// SPDX-License-Identifier: Apache-2.0
/** What must hold in every run of the simulation: of the holders of locks and their waiters, and of signals. */
@NullMarked
package dev.interlock.simulation.judge;

import org.jspecify.annotations.NullMarked;
