// SPDX-License-Identifier: Apache-2.0
/** What was found in a scenario. */
@NullMarked
package dev.interlock.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
