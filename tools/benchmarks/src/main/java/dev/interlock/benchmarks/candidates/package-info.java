// SPDX-License-Identifier: Apache-2.0
/** The locks that are measured, and the openers of their clients. */
@NullMarked
package dev.interlock.benchmarks.candidates;

import org.jspecify.annotations.NullMarked;
