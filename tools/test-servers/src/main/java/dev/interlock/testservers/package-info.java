// SPDX-License-Identifier: Apache-2.0
/**
 * Real Redis servers for tests and for the comparison.
 *
 * <p>{@link dev.interlock.testservers.RedisServer} is a {@code redis-server} process that can be paused, killed and
 * restarted, and whose commands can be watched; {@link dev.interlock.testservers.FaultProxy} stands between it and a
 * client and loses what the test tells it to lose. {@link dev.interlock.testservers.SentinelServers} and
 * {@link dev.interlock.testservers.ClusterServers} are several such servers that belong together.
 */
@NullMarked
package dev.interlock.testservers;

import org.jspecify.annotations.NullMarked;
