// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The names of the keys and channels of a lock: all under one prefix, for one pattern in an access control list, and with one hash
 * tag, for one slot of a cluster. Instances are immutable.
 *
 * <p>The name of the lock stands between braces, in which braces, percent signs, white space and control characters are
 * percent-encoded, so that no name can leave its braces, collide with another, or break a line of a log.
 */
public final class LockKeys {
    private final String prefix;

    /**
     * Creates the names under a prefix.
     *
     * @param prefix the prefix, without braces
     */
    public LockKeys(String prefix) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    /**
     * Returns the key that holds the owner token while the lock is held.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String lock(String name) {
        return prefix + ":{" + encode(name) + "}";
    }

    /**
     * Returns the key that holds the last fencing token.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String fence(String name) {
        return lock(name) + ":fence";
    }

    /**
     * Returns the channel on which a release is announced.
     *
     * @param name the name of the lock
     * @return the channel
     */
    public String channel(String name) {
        return lock(name) + ":freed";
    }

    /**
     * Returns the key of the list of those who wait for the lock.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String waiting(String name) {
        return lock(name) + ":waiting";
    }

    /**
     * Returns the channel on which one client is told what concerns it alone.
     *
     * @param client what tells the client from all others
     * @return the channel, which is none of a lock
     */
    public String client(String client) {
        return prefix + ":client:" + client;
    }

    /**
     * Returns the channel on which one client is told what concerns it alone about one lock, in the slot of that lock.
     *
     * @param name the name of the lock
     * @param client what tells the client from all others
     * @return the channel
     */
    public String client(String name, String client) {
        return lock(name) + ":client:" + client;
    }

    private static String encode(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (isEncoded(name.charAt(i))) {
                return encodeParts(name);
            }
        }
        return name;
    }

    /** All characters for which this is true are in the basic plane, so that a surrogate is none of them. */
    private static boolean isEncoded(int c) {
        return c == '{' || c == '}' || c == '%' || Character.isISOControl(c) || Character.isWhitespace(c);
    }

    private static String encodeParts(String name) {
        StringBuilder encoded = new StringBuilder(name.length());
        name.codePoints().forEach(c -> {
            if (isEncoded(c)) {
                for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
                    encoded.append(String.format("%%%02X", b));
                }
            } else {
                encoded.appendCodePoint(c);
            }
        });
        return encoded.toString();
    }
}
