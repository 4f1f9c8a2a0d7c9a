// SPDX-License-Identifier: Apache-2.0
/**
 * Conditions of locks: how a holder waits for a signal, and what time-outs, interrupts, failures and the end of a
 * factory do to that wait.
 */
@NullMarked
package dev.interlock.engine.condition;

import org.jspecify.annotations.NullMarked;
