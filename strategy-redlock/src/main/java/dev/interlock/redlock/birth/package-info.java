// SPDX-License-Identifier: Apache-2.0
/** Birth records, which tell since when a node has not forgotten any lease. */
@NullMarked
package dev.interlock.redlock.birth;

import org.jspecify.annotations.NullMarked;
