// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of the keys and channels of a lock: all under one prefix, for one pattern in an access control list, and with one hash
 * tag, for one slot of a cluster. Safe to use from any thread.
 *
 * <p>The name of the lock stands between braces, in which braces, percent signs, white space and control characters are
 * percent-encoded, so that no name can leave its braces, collide with another, or break a line of a log.
 */
public final class LockKeys {
    /** How many keys are remembered: a power of two. */
    private static final int REMEMBERED = 1024;

    private final String prefix;

    /** Keys that were made lately, each in the place of its name: an acquisition and its release ask for one several times. */
    private final @Nullable Made[] made = new Made[REMEMBERED];

    /** A key and the name from which it was made. Threads may hand it to each other without a lock, since it is immutable. */
    private record Made(String name, String key) {}

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
        int hash = name.hashCode();
        int place = (hash ^ hash >>> 16) & (REMEMBERED - 1);
        Made last = made[place];
        if (last == null || !last.name.equals(name)) {
            last = new Made(name, prefix + ":{" + encode(name) + "}");
            made[place] = last;
        }
        return last.key;
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

    /**
     * Returns the key under which a factory says which process it is.
     *
     * @param factory what tells the factory from all others, and is no secret
     * @return the key, which is none of a lock
     */
    public String factory(String factory) {
        return prefix + ":factory:" + factory;
    }

    /**
     * Returns a pattern, as {@code SCAN} takes one, of the keys of all locks. Other keys may fit it too; {@link #name} tells them apart.
     *
     * @return the pattern
     */
    public String pattern() {
        return prefix.replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + ":{*}";
    }

    /**
     * Returns the name of the lock whose key this is.
     *
     * @param key a key
     * @return the name; empty if the key is not that of a lock
     */
    public Optional<String> name(String key) {
        String begin = prefix + ":{";
        if (!key.startsWith(begin) || key.indexOf('}') != key.length() - 1) {
            return Optional.empty();
        }
        return Optional.of(decode(key.substring(begin.length(), key.length() - 1)));
    }

    private static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] source = encoded.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < source.length; i++) {
            if (source[i] == '%' && isHexadecimal(source, i + 1) && isHexadecimal(source, i + 2)) {
                bytes.write(HexFormat.fromHexDigit(source[i + 1]) << 4 | HexFormat.fromHexDigit(source[i + 2]));
                i += 2;
            } else {
                bytes.write(source[i]);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static boolean isHexadecimal(byte[] source, int index) {
        return index < source.length && HexFormat.isHexDigit(source[index]);
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
