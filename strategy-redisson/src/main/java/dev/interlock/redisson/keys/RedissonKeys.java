// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.keys;

import dev.interlock.LockConfig;
import java.util.function.UnaryOperator;

/** The names of keys and channels as Redisson has them. Instances are immutable. */
public final class RedissonKeys {
    private final String prefix;
    private final UnaryOperator<String> mapper;

    /**
     * Creates the names.
     *
     * @param prefix the prefix; with the default one, a lock has the name that {@code RedissonClient.getLock} would be given
     * @param mapper what the client makes of a name
     */
    public RedissonKeys(String prefix, UnaryOperator<String> mapper) {
        this.prefix = prefix.equals(LockConfig.builder().build().keyPrefix()) ? "" : prefix;
        this.mapper = mapper;
    }

    /** What a plain lock has to be called to be the same lock. */
    public String plainName(String name) {
        // The braces keep prefix and name apart, since no prefix has any.
        return prefix.isEmpty() ? name : prefix + ":{" + name + "}";
    }

    public String lock(String name) {
        return mapper.apply(plainName(name));
    }

    public String token(String name) {
        return beside("redisson_lock_token", name);
    }

    public String channel(String name) {
        return beside("redisson_lock__channel", name);
    }

    private String beside(String what, String name) {
        String lock = lock(name);
        return what + ":" + (lock.contains("{") ? lock : "{" + lock + "}");
    }

    /** Whether channels can be listened to: Redisson maps the names of channels too, but not of those that its locks use. */
    public boolean canListen() {
        String channel = channel("x");
        return mapper.apply(channel).equals(channel);
    }
}
