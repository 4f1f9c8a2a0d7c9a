// SPDX-License-Identifier: Apache-2.0
/** Locks that somebody could choose, and how their clients are opened. */
@NullMarked
package dev.interlock.benchmarks.candidates;

import org.jspecify.annotations.NullMarked;
