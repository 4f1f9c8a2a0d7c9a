// SPDX-License-Identifier: Apache-2.0
/** Releases that are yet to be delivered. */
@NullMarked
package dev.interlock.redlock.release;

import org.jspecify.annotations.NullMarked;
