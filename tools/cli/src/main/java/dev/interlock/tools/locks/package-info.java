// SPDX-License-Identifier: Apache-2.0
/**
 * The locks of running programs, for operators: {@link dev.interlock.tools.locks.LockOverview} looks at them,
 * {@link dev.interlock.tools.locks.Deadlocks} finds factories that wait for each other in a circle, and
 * {@link dev.interlock.tools.locks.LockTexts} and {@link dev.interlock.tools.locks.LocksJson} write the results.
 */
@NullMarked
package dev.interlock.tools.locks;

import org.jspecify.annotations.NullMarked;
