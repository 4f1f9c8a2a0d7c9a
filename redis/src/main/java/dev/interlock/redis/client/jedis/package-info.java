// SPDX-License-Identifier: Apache-2.0
/** Servers over Jedis. Not exported. */
@NullMarked
package dev.interlock.redis.client.jedis;

import org.jspecify.annotations.NullMarked;
