// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.redis.HashSlot;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An immutable table of the primaries of a cluster and the slots that they serve. */
final class SlotTable {
    static final SlotTable EMPTY = new SlotTable(new RedisEndpoint[HashSlot.COUNT]);

    private final @Nullable RedisEndpoint[] owners;
    private final Set<RedisEndpoint> primaries;

    private SlotTable(@Nullable RedisEndpoint[] owners) {
        this.owners = owners;
        Set<RedisEndpoint> all = new LinkedHashSet<>(Arrays.asList(owners));
        all.remove(null);
        this.primaries = all;
    }

    /**
     * Reads the reply to {@code CLUSTER SLOTS}.
     *
     * @param asked the node that gave it, which stands for nodes without an address, and whose login and encryption all
     *     nodes share
     */
    static SlotTable of(List<?> reply, RedisEndpoint asked) {
        @Nullable RedisEndpoint[] owners = new RedisEndpoint[HashSlot.COUNT];
        for (Object each : reply) {
            List<?> range = (List<?>) each;
            List<?> primary = (List<?>) range.get(2);
            RedisEndpoint endpoint = endpoint(primary.get(0), Integer.parseInt(String.valueOf(primary.get(1))), asked);
            int first = Integer.parseInt(String.valueOf(range.get(0)));
            int last = Integer.parseInt(String.valueOf(range.get(1)));
            Arrays.fill(owners, first, last + 1, endpoint);
        }
        return new SlotTable(owners);
    }

    /**
     * Returns the address of a node from the reply of another one. An empty host or a question mark stands for the host
     * of the node that replied.
     */
    static RedisEndpoint endpoint(@Nullable Object host, int port, RedisEndpoint asked) {
        boolean unnamed = host == null || host.equals("") || host.equals("?");
        return asked.at(unnamed ? asked.host() : String.valueOf(host), port);
    }

    /** Returns the primary that serves a slot, or {@code null} if none is known. */
    @Nullable
    RedisEndpoint owner(int slot) {
        return owners[slot];
    }

    /** Returns a copy of this table with another owner of one slot. */
    SlotTable with(int slot, RedisEndpoint owner) {
        @Nullable RedisEndpoint[] changed = owners.clone();
        changed[slot] = owner;
        return new SlotTable(changed);
    }

    boolean isEmpty() {
        return primaries.isEmpty();
    }

    List<RedisEndpoint> primaries() {
        return new ArrayList<>(primaries);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotTable table && Arrays.equals(owners, table.owners);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(owners);
    }
}
