// SPDX-License-Identifier: Apache-2.0
/** A Redis Cluster as one {@link dev.interlock.redis.RedisNode}: a table of single servers. Not exported. */
@NullMarked
package dev.interlock.redis.topology.cluster;

import org.jspecify.annotations.NullMarked;
