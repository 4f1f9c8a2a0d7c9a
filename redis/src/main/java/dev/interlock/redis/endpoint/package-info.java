// SPDX-License-Identifier: Apache-2.0
/** What the URI of a Redis server means. Needs no client library. */
@NullMarked
package dev.interlock.redis.endpoint;

import org.jspecify.annotations.NullMarked;
