// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockConfig;
import org.redisson.config.NameMapper;

/** The names of keys and channels as Redisson has them. Instances are immutable. */
final class LockKeys {
    private final String prefix;
    private final NameMapper mapper;

    /**
     * Creates the names.
     *
     * @param prefix the prefix; with the default one, a lock has the name that {@code RedissonClient.getLock} would be given
     * @param mapper what Redisson maps names by
     */
    LockKeys(String prefix, NameMapper mapper) {
        this.prefix = prefix.equals(LockConfig.builder().build().keyPrefix()) ? "" : prefix;
        this.mapper = mapper;
    }

    /** What a plain lock has to be called to be the same lock. */
    String plainName(String name) {
        // The braces keep prefix and name apart, since no prefix has any.
        return prefix.isEmpty() ? name : prefix + ":{" + name + "}";
    }

    String lock(String name) {
        return mapper.map(plainName(name));
    }

    String token(String name) {
        return beside("redisson_lock_token", name);
    }

    String channel(String name) {
        return beside("redisson_lock__channel", name);
    }

    private String beside(String what, String name) {
        String lock = lock(name);
        return what + ":" + (lock.contains("{") ? lock : "{" + lock + "}");
    }

    /** Whether channels can be listened to: Redisson maps the names of channels too, but not of those that its locks use. */
    boolean canListen() {
        String channel = channel("x");
        return mapper.map(channel).equals(channel);
    }
}
