// SPDX-License-Identifier: Apache-2.0
/** Servers over Lettuce. Not exported. */
@NullMarked
package dev.interlock.redis.client.lettuce;

import org.jspecify.annotations.NullMarked;
