// SPDX-License-Identifier: Apache-2.0
/**
 * Redis servers to look at strategies on, and what all tools need: plain clients, child processes, progress, errors.
 */
@NullMarked
package dev.interlock.tools.backends;

import org.jspecify.annotations.NullMarked;
