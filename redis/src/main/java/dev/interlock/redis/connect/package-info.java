// SPDX-License-Identifier: Apache-2.0
/**
 * Makes {@link dev.interlock.redis.RedisNode}s: with connections of their own, or over a client that the application
 * has.
 */
@NullMarked
package dev.interlock.redis.connect;

import org.jspecify.annotations.NullMarked;
