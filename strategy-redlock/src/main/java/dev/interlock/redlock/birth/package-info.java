// SPDX-License-Identifier: Apache-2.0
/** Birth records: since when a node has forgotten no lease that it granted. */
@NullMarked
package dev.interlock.redlock.birth;

import org.jspecify.annotations.NullMarked;
