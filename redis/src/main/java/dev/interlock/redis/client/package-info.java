// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that Jedis and Lettuce share: one server behind a client library, deadlines, failures, and subscriptions. Not
 * exported.
 */
@NullMarked
package dev.interlock.redis.client;

import org.jspecify.annotations.NullMarked;
