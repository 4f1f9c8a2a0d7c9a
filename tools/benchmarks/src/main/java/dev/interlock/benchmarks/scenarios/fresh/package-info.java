// SPDX-License-Identifier: Apache-2.0
/** A JVM that has run nothing before it takes a lock. */
@NullMarked
package dev.interlock.benchmarks.scenarios.fresh;

import org.jspecify.annotations.NullMarked;
