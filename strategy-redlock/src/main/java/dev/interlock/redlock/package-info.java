// SPDX-License-Identifier: Apache-2.0
/** The strategy {@code redlock}: the lock of a majority of independent Redis servers. */
@NullMarked
package dev.interlock.redlock;

import org.jspecify.annotations.NullMarked;
