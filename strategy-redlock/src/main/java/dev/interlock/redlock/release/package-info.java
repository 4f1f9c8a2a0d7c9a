// SPDX-License-Identifier: Apache-2.0
/** Releases that have not been delivered yet. */
@NullMarked
package dev.interlock.redlock.release;

import org.jspecify.annotations.NullMarked;
