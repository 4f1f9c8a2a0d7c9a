// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The move of a slot from one primary of a cluster to another, which has begun: the source serves the keys that it has and
 * answers {@code ASK} for all others, and the target serves the slot to those who were sent by that answer.
 */
public final class SlotMigration {
    private static final String KEYS_AT_ONCE = "100";
    private static final String TIMEOUT_MILLIS = "10000";

    private final String slot;
    private final RedisServer source;
    private final RedisServer target;
    private final String targetId;
    private final @Nullable String password;

    SlotMigration(int slot, RedisServer source, RedisServer target, @Nullable String password) {
        this.slot = Integer.toString(slot);
        this.source = source;
        this.target = target;
        this.targetId = id(target);
        this.password = password;
        target.command("CLUSTER", "SETSLOT", this.slot, "IMPORTING", id(source));
        source.command("CLUSTER", "SETSLOT", this.slot, "MIGRATING", targetId);
    }

    private static String id(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    /** Moves all keys that the source has in the slot. */
    public void moveKeys() {
        for (List<String> keys = keys(); !keys.isEmpty(); keys = keys()) {
            moveKeys(keys);
        }
    }

    private List<String> keys() {
        return ((List<?>) source.command("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE))
                .stream().map(String::valueOf).toList();
    }

    /**
     * Moves some keys of the slot; those that do not exist are passed over.
     *
     * @param keys the keys
     */
    public void moveKeys(Collection<String> keys) {
        List<String> command = new ArrayList<>(
                List.of("MIGRATE", "127.0.0.1", Integer.toString(target.port()), "", "0", TIMEOUT_MILLIS));
        if (password != null) {
            command.addAll(List.of("AUTH", password));
        }
        command.add("KEYS");
        command.addAll(keys);
        source.command(command.toArray(String[]::new));
    }

    /** Moves the keys that are left and gives the slot to the target; the other nodes hear of it a moment later. */
    public void finish() {
        moveKeys();
        target.command("CLUSTER", "SETSLOT", slot, "NODE", targetId);
        source.command("CLUSTER", "SETSLOT", slot, "NODE", targetId);
    }
}
