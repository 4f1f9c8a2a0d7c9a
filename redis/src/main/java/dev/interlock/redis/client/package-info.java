// SPDX-License-Identifier: Apache-2.0
/** What Jedis and Lettuce have in common: one server behind a client library, deadlines, failures, and subscriptions. Not exported. */
@NullMarked
package dev.interlock.redis.client;

import org.jspecify.annotations.NullMarked;
