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
     * @param mapper maps a name as the client does
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

    /** Returns the channel of the releases of a read/write lock. */
    public String readWriteChannel(String name) {
        return beside("rwlock", name);
    }

    /**
     * Returns the key that lives as long as a reader's hold.
     *
     * @param prefix the {@link #holds} of the lock
     * @param field the reader's field in the hash
     */
    public static String hold(String prefix, String field) {
        return prefix + ":" + field + ":rwlock_timeout:1";
    }

    /** Returns the part that the keys of the holds of all readers of a lock have in common. */
    public String holds(String name) {
        String lock = lock(name);
        String redissons = braced(lock);
        boolean inSlot = RedissonSlots.hasTag(redissons) && RedissonSlots.of(redissons) == RedissonSlots.of(lock);
        return !cluster || inSlot ? redissons : ours("rwlock_hold", lock);
    }

    /** Returns the key of the waiters of a plain fair lock. */
    public String queue(String name) {
        return beside("lock_queue", name);
    }

    private String beside(String what, String name) {
        String lock = lock(name);
        String redissons = "redisson_" + what + ":" + braced(lock);
        return !cluster || RedissonSlots.of(redissons) == RedissonSlots.of(lock) ? redissons : ours(what, lock);
    }

    private static String braced(String lock) {
        return lock.contains("{") ? lock : "{" + lock + "}";
    }

    /** No plain lock shares this key: a cluster refuses the unlock() of plain locks with such names. */
    private static String ours(String what, String lock) {
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
