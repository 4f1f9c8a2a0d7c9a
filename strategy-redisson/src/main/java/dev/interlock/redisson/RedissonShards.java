// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.keys.RedissonSlots;
import org.redisson.Redisson;
import org.redisson.connection.MasterSlaveEntry;

/** Groups locks by server. Sends nothing. Safe to use from any thread. */
final class RedissonShards {
    private static final String ONLY = "";

    private final ClientSource source;
    private final RedissonKeys keys;
    private final boolean cluster;

    RedissonShards(ClientSource source, RedissonKeys keys, boolean cluster) {
        this.source = source;
        this.keys = keys;
        this.cluster = cluster;
    }

    /**
     * Returns the address of the cluster node that is responsible for a lock, or one text for all locks if it is
     * unknown.
     */
    String node(String name) {
        return cluster ? node(slot(name)) : ONLY;
    }

    /** Returns a key that only locks of the same node share, though not all of them. */
    String part(String name) {
        if (!cluster) {
            return ONLY;
        }
        int slot = slot(name);
        String node = node(slot);
        return node.isEmpty() ? "slot " + slot : node;
    }

    /** Returns the slot of a lock. */
    int slot(String name) {
        return RedissonSlots.of(keys.lock(name));
    }

    /** Uses Redisson's internal table: the public interface would ask a server each time. */
    private String node(int slot) {
        if (source.ifConnected().orElse(null) instanceof Redisson redisson) {
            MasterSlaveEntry entry =
                    redisson.getCommandExecutor().getConnectionManager().getEntry(slot);
            if (entry != null && entry.getClient() != null) {
                return entry.getClient().getAddr().toString();
            }
        }
        return ONLY;
    }
}
