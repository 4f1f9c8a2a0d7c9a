// SPDX-License-Identifier: Apache-2.0
/** Locks over several names, as the user sees them. */
@NullMarked
package dev.interlock.engine.several;

import org.jspecify.annotations.NullMarked;
