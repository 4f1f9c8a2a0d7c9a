// SPDX-License-Identifier: Apache-2.0
/**
 * A harness for strategies over Redis: {@link dev.interlock.conformance.redis.RedisHarness} brings real servers, of
 * one's own or somebody else's, and makes them fail.
 *
 * <p>Needs {@code interlock-test-servers} on the class path of the tests, and {@code org.testcontainers:testcontainers}
 * where the servers are to run in containers.
 */
@NullMarked
package dev.interlock.conformance.redis;

import org.jspecify.annotations.NullMarked;
