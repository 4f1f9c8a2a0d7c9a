// SPDX-License-Identifier: Apache-2.0
/**
 * Time, waiting, threads and randomness, so that the same code runs under a controlled clock. For authors of
 * strategies.
 */
@NullMarked
package dev.interlock.engine.environment;

import org.jspecify.annotations.NullMarked;
