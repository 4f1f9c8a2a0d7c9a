// SPDX-License-Identifier: Apache-2.0
/**
 * Read/write locks on a Redis server: readers are a sorted set by the ends of their leases, and every script keeps the
 * phases.
 */
@NullMarked
package dev.interlock.setnxpx.readwrite;

import org.jspecify.annotations.NullMarked;
