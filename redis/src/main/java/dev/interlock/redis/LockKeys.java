// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of the keys and channels of a lock: all under one prefix, for one pattern in an access control list, and
 * with one hash tag, for one slot of a cluster. Safe to use from any thread.
 *
 * <p>The name of the lock stands between braces, in which braces, percent signs, white space and control characters are
 * percent-encoded, so that no name can leave its braces, collide with another, or break a line of a log.
 *
 * <p>{@linkplain #plain Plain} keys are different: the key of the lock is the name as it is, which programs of other
 * makers use too. All other keys are under the prefix as usual, in the same slot.
 */
public final class LockKeys {
    /** How many keys are remembered: a power of two. */
    private static final int REMEMBERED = 1024;

    private final String prefix;

    /** The prefix and suffix of the name in a plain key, or {@code null} if keys are not plain. */
    private final @Nullable Frame plain;

    /**
     * A cache of recent keys, indexed by the hash of the name: an acquisition and its release ask for a key several
     * times.
     */
    private final @Nullable Made[] made = new Made[REMEMBERED];

    /**
     * A key and the name from which it was made. Threads may hand it to each other without a lock, since it is
     * immutable.
     *
     * @param base what the other keys of the lock begin with
     */
    private record Made(String name, String key, String base) {}

    private record Frame(String before, String behind) {}

    /**
     * Creates the names under a prefix.
     *
     * @param prefix the prefix, without braces
     */
    public LockKeys(String prefix) {
        this(prefix, null);
    }

    private LockKeys(String prefix, @Nullable Frame plain) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.plain = plain;
    }

    /**
     * Returns the names of locks whose keys are shared with programs of other makers.
     *
     * @param prefix the prefix of all keys other than those of the locks, without braces
     * @param before what stands before the name of a lock in its key
     * @param behind what stands behind it
     * @return the names, which throw an {@link IllegalArgumentException} for a lock whose key would begin as the other
     *     keys do
     */
    public static LockKeys plain(String prefix, String before, String behind) {
        return new LockKeys(
                prefix, new Frame(Objects.requireNonNull(before, "before"), Objects.requireNonNull(behind, "behind")));
    }

    /**
     * Returns the key that holds the owner token while the lock is held.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String lock(String name) {
        return made(name).key;
    }

    /** Returns the common prefix of all keys of a lock other than its own. */
    private String base(String name) {
        return made(name).base;
    }

    private Made made(String name) {
        int hash = name.hashCode();
        int place = (hash ^ hash >>> 16) & (REMEMBERED - 1);
        Made last = made[place];
        if (last == null || !last.name.equals(name)) {
            last = plain == null ? make(name) : makePlain(name, plain.before + name + plain.behind);
            made[place] = last;
        }
        return last;
    }

    private Made make(String name) {
        String key = prefix + ":{" + encode(name) + "}";
        return new Made(name, key, key);
    }

    private Made makePlain(String name, String key) {
        if (isOfOurs(key)) {
            throw new IllegalArgumentException("the key of lock \"" + name + "\" would be \"" + key
                    + "\", which is among the keys that Interlock keeps beside the locks: give the lock another name, or the"
                    + " factory another keyPrefix");
        }
        String base = prefix + ":{" + tag(key) + (hasBraces(key) ? "}:plain-key:" + encode(key) : "}:plain");
        return new Made(name, key, base);
    }

    private boolean isOfOurs(String key) {
        return (key.startsWith(prefix + ":{") && key.contains("}:plain"))
                || key.startsWith(factory(""))
                || key.equals(prefix + ":birth");
    }

    private static boolean hasBraces(String key) {
        return key.indexOf('{') >= 0 || key.indexOf('}') >= 0;
    }

    /** A hash tag that puts a key into the slot of another one: the same text where that is possible. */
    private static String tag(String key) {
        if (!hasBraces(key)) {
            return key;
        }
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        if (open >= 0 && close > open + 1) {
            return key.substring(open + 1, close);
        }
        // The whole key is hashed, and cannot stand between braces. A number with the same slot stands for it.
        int slot = HashSlot.of(key);
        int number = 0;
        while (HashSlot.of(Integer.toString(number)) != slot) {
            number++;
        }
        return Integer.toString(number);
    }

    /**
     * Returns the key that holds the last fencing token.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String fence(String name) {
        return base(name) + ":fence";
    }

    /**
     * Returns the channel on which a release is announced.
     *
     * @param name the name of the lock
     * @return the channel
     */
    public String channel(String name) {
        return base(name) + ":freed";
    }

    /**
     * Returns the key of the list of those who wait for the lock.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String waiting(String name) {
        return base(name) + ":waiting";
    }

    /**
     * Returns the key of the record that a server keeps of a lock while it grants that lock to waiters on behalf of
     * several servers that vote.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String lead(String name) {
        return base(name) + ":lead";
    }

    /**
     * Returns the key of those who wait for a condition of the lock.
     *
     * @param name the name of the lock
     * @param condition what tells the condition from the others of the lock, in any characters
     * @return the key
     */
    public String condition(String name, String condition) {
        return base(name) + ":condition:" + encode(condition);
    }

    /**
     * Returns the key of the signals of a condition that have not been confirmed by their waiters yet.
     *
     * @param name the name of the lock
     * @param condition what tells the condition from the others of the lock, in any characters
     * @return the key
     */
    public String signals(String name, String condition) {
        return base(name) + ":signals:" + encode(condition);
    }

    /**
     * Returns the keys of the read/write lock of a name: the word of its writer, those who read, the last fencing
     * token, those who wait to write, and those who wait to read.
     *
     * @param name the name of the read/write lock
     * @return the keys, in this order
     */
    public List<String> readWrite(String name) {
        String base = base(name) + ":rw:";
        return List.of(base + "writer", base + "readers", base + "fence", base + "to-write", base + "to-read");
    }

    /**
     * Returns the channel on which one client is told what concerns it alone.
     *
     * @param client what tells the client from all others
     * @return the channel, which belongs to no lock
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
        return base(name) + ":client:" + client;
    }

    /**
     * Returns the key under which a factory says which process it is.
     *
     * @param factory what tells the factory from all others, and is no secret
     * @return the key, which belongs to no lock
     */
    public String factory(String factory) {
        return prefix + ":factory:" + factory;
    }

    /**
     * Returns a pattern, as {@code SCAN} takes one, of the keys of all locks. Other keys may fit it too; {@link #name}
     * tells them apart.
     *
     * @return the pattern
     */
    public String pattern() {
        return plain == null ? literal(prefix) + ":{*}" : literal(plain.before) + "*" + literal(plain.behind);
    }

    private static String literal(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^]", "\\\\$0");
    }

    /**
     * Returns the name of the lock whose key this is.
     *
     * @param key a key
     * @return the name; empty if the key is not that of a lock
     */
    public Optional<String> name(String key) {
        if (plain != null) {
            int end = key.length() - plain.behind.length();
            return key.startsWith(plain.before)
                            && key.endsWith(plain.behind)
                            && end > plain.before.length()
                            && !isOfOurs(key)
                    ? Optional.of(key.substring(plain.before.length(), end))
                    : Optional.empty();
        }
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

    /**
     * Returns a name without braces, percent signs, white space and control characters, and from which no other name is
     * made.
     *
     * @param name the name
     * @return the name, percent-encoded
     */
    public static String encode(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (isEncoded(name.charAt(i))) {
                return encodeParts(name);
            }
        }
        return name;
    }

    /**
     * Returns whether a character is percent-encoded. Surrogates never are, since all encoded characters are in the
     * basic plane.
     */
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
