// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.keys;

import dev.interlock.LockConfig;
import java.util.function.UnaryOperator;

/** The names of keys and channels in Redisson's format. Instances are immutable. */
public final class RedissonKeys {
    private final String prefix;
    private final UnaryOperator<String> mapper;
    private final boolean cluster;

    /**
     * Creates the names.
     *
     * @param prefix the prefix; with the default one, a lock has the name that {@code RedissonClient.getLock} would be
     *     given
     * @param mapper what the client makes of a name
     * @param cluster whether the keys of a lock must be in one slot
     */
    public RedissonKeys(String prefix, UnaryOperator<String> mapper, boolean cluster) {
        this.prefix = prefix.equals(LockConfig.builder().build().keyPrefix()) ? "" : prefix;
        this.mapper = mapper;
        this.cluster = cluster;
    }

    /** Returns the name of the plain lock that is the same lock. */
    public String plainName(String name) {
        // The braces separate prefix and name, since no prefix has any.
        return prefix.isEmpty() ? name : prefix + ":{" + name + "}";
    }

    public String lock(String name) {
        return mapper.apply(plainName(name));
    }

    public String token(String name) {
        return beside("lock_token", name);
    }

    public String channel(String name) {
        return beside("lock__channel", name);
    }

    /** Where those stand who wait for a plain fair lock. */
    public String queue(String name) {
        return beside("lock_queue", name);
    }

    private String beside(String what, String name) {
        String lock = lock(name);
        String redissons = "redisson_" + what + ":" + (lock.contains("{") ? lock : "{" + lock + "}");
        if (!cluster || RedissonSlots.of(redissons) == RedissonSlots.of(lock)) {
            return redissons;
        }
        // A cluster refuses the unlock() of a plain lock of such a name, so that there is none to share the key with.
        return "interlock_" + what + ":{" + SlotTags.of(RedissonSlots.of(lock)) + "}:" + lock;
    }

    /**
     * Returns whether subscriptions are possible: Redisson maps the names of channels too, but not those of its locks.
     */
    public boolean canListen() {
        String channel = channel("x");
        return mapper.apply(channel).equals(channel);
    }
}
