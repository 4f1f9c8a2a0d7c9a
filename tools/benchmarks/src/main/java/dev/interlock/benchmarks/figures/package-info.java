// SPDX-License-Identifier: Apache-2.0
/** The figures that a scenario measures. */
@NullMarked
package dev.interlock.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
