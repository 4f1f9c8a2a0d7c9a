// SPDX-License-Identifier: Apache-2.0
/**
 * Few connections for many threads: the thread that finds one free writes and reads for all that come meanwhile. Not
 * exported.
 */
@NullMarked
package dev.interlock.redis.client.combining;

import org.jspecify.annotations.NullMarked;
