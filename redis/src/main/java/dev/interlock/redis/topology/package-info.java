// SPDX-License-Identifier: Apache-2.0
/** Nodes that lead to one server of several: to the primary, wherever it is now. */
@NullMarked
package dev.interlock.redis.topology;

import org.jspecify.annotations.NullMarked;
