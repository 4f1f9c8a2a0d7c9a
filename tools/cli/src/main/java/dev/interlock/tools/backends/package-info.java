// SPDX-License-Identifier: Apache-2.0
/**
 * The Redis servers on which tools run strategies, and what all tools share: plain clients, child processes, progress
 * and errors.
 */
@NullMarked
package dev.interlock.tools.backends;

import org.jspecify.annotations.NullMarked;
