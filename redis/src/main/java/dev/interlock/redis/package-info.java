// SPDX-License-Identifier: Apache-2.0
/**
 * The few things that strategies need from a Redis server, independent of the client library.
 *
 * <p>{@link dev.interlock.redis.RedisNode} is the port; Jedis and Lettuce are behind it. Both are optional
 * dependencies: the one that is used must be there.
 */
@NullMarked
package dev.interlock.redis;

import org.jspecify.annotations.NullMarked;
