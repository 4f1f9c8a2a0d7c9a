// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.keys.RedissonSlots;
import org.redisson.Redisson;
import org.redisson.connection.MasterSlaveEntry;

/** Tells which locks are on one server. Sends nothing. Safe to use from any thread. */
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
     * Returns the address of the node of a cluster that is responsible for a lock, or the same text for all where that
     * is not known.
     */
    String node(String name) {
        return cluster ? node(slot(name)) : ONLY;
    }

    /** Returns something that only locks of the same node have in common, though not all of them. */
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

    /** By Redisson's own table: its public interface would ask a server each time. */
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
