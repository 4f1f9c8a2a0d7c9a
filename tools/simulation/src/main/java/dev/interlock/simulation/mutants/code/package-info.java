// SPDX-License-Identifier: Apache-2.0
/** Deliberate errors in the Java code of the engine and of strategies, which is compiled and loaded with them. */
@NullMarked
package dev.interlock.simulation.mutants.code;

import org.jspecify.annotations.NullMarked;
