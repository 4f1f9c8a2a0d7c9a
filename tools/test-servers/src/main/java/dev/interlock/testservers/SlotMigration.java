// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A migration of slots from one primary of a cluster to another that has begun: the source serves the keys that it has
 * and replies {@code ASK} for all others, and the target serves the slots to clients that follow that reply.
 */
public final class SlotMigration {
    private static final String KEYS_AT_ONCE = "100";
    private static final String TIMEOUT_MILLIS = "10000";

    /** A node writes its configuration to disk after each command, which takes long for thousands of slots. */
    private static final String SET_SLOTS =
            "for i = 3, #ARGV do redis.call('CLUSTER', 'SETSLOT', ARGV[i], ARGV[1], ARGV[2]) end";

    private final List<String> slots;
    private final RedisServer source;
    private final RedisServer target;
    private final String targetId;
    private final @Nullable String password;

    SlotMigration(List<Integer> slots, RedisServer source, RedisServer target, @Nullable String password) {
        this.slots = slots.stream().map(String::valueOf).toList();
        this.source = source;
        this.target = target;
        this.targetId = ClusterView.id(target);
        this.password = password;
        setSlots(target, "IMPORTING", ClusterView.id(source));
        setSlots(source, "MIGRATING", targetId);
    }

    private void setSlots(RedisServer node, String state, String id) {
        List<String> command = new ArrayList<>(List.of("EVAL", SET_SLOTS, "0", state, id));
        command.addAll(slots);
        node.command(command.toArray(String[]::new));
    }

    /** Moves all keys that the source has in the slots. */
    public void moveKeys() {
        for (String slot : slots) {
            for (List<String> keys = keys(slot); !keys.isEmpty(); keys = keys(slot)) {
                moveKeys(keys);
            }
        }
    }

    private List<String> keys(String slot) {
        return source.list("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE).stream()
                .map(String::valueOf)
                .toList();
    }

    /**
     * Moves some keys of the slots; those that do not exist are passed over.
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

    /** Moves the remaining keys and assigns the slots to the target. The other nodes learn of it a moment later. */
    public void finish() {
        moveKeys();
        setSlots(target, "NODE", targetId);
        setSlots(source, "NODE", targetId);
    }
}
