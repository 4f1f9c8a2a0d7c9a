// SPDX-License-Identifier: Apache-2.0
/** Where a Redis server listens, and how to connect and log in to it. Needs no client library. */
@NullMarked
package dev.interlock.redis.endpoint;

import org.jspecify.annotations.NullMarked;
