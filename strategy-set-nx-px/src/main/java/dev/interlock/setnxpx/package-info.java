// SPDX-License-Identifier: Apache-2.0
/**
 * The strategy {@code set-nx-px}: the lock of one Redis server, as the Redis documentation describes it for a single
 * instance, with fencing tokens, renewal and wake-up.
 */
@NullMarked
package dev.interlock.setnxpx;

import org.jspecify.annotations.NullMarked;
