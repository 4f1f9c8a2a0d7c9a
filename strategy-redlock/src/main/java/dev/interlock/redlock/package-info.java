// SPDX-License-Identifier: Apache-2.0
/** The strategy {@code redlock}: a lock that a majority of independent Redis servers grants. */
@NullMarked
package dev.interlock.redlock;

import org.jspecify.annotations.NullMarked;
