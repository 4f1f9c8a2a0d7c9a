// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys of a server with their values and the ends of their lives. Not safe for use by several threads at once. */
public final class Keyspace {
    private final Map<String, Entry> entries = new TreeMap<>();

    /** For each key that was ever changed, the number of its last change. */
    private final Map<String, Long> versions = new HashMap<>();

    private long nowMillis;
    private long changes;

    /**
     * A value: a {@link String}, {@link Members} or {@link Fields}, and the end of its life by the server's clock, or
     * none.
     */
    private static final class Entry {
        private Object value;
        private @Nullable Long endMillis;

        Entry(Object value, @Nullable Long endMillis) {
            this.value = value;
            this.endMillis = endMillis;
        }
    }

    /** A sorted set: the score of each member. */
    static final class Members extends HashMap<String, Double> {
        private static final long serialVersionUID = 1L;
    }

    /** A hash. */
    static final class Fields extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;
    }

    /** How a key was found: whether it was there, and the number of its last change. */
    record Sight(boolean exists, long version) {}

    Sight sight(String key) {
        return new Sight(exists(key), versions.getOrDefault(key, 0L));
    }

    /** Tells whether a key was changed since it was seen, or its life has ended. */
    boolean hasChanged(String key, Sight seen) {
        Sight now = sight(key);
        return now.version != seen.version || (seen.exists && !now.exists);
    }

    /** Sets the time by which lives end, in ms since the epoch, until it is set again. */
    void at(long millis) {
        nowMillis = millis;
    }

    long nowMillis() {
        return nowMillis;
    }

    /**
     * Counts the changes, so that it can be seen whether there was one.
     *
     * @return a number that grows
     */
    public long changes() {
        return changes;
    }

    void changed(String key) {
        versions.put(key, ++changes);
    }

    private @Nullable Entry find(String key) {
        Entry entry = entries.get(key);
        if (entry != null && entry.endMillis != null && nowMillis > entry.endMillis) {
            entries.remove(key);
            return null;
        }
        return entry;
    }

    boolean exists(String key) {
        return find(key) != null;
    }

    /** Returns the value of a key if it is of a type, or null if there is none. */
    <T> @Nullable T get(String key, Class<T> type) {
        Entry entry = find(key);
        if (entry == null) {
            return null;
        }
        if (!type.isInstance(entry.value)) {
            throw new CommandException(CommandException.WRONG_TYPE);
        }
        return type.cast(entry.value);
    }

    String type(String key) {
        Entry entry = find(key);
        if (entry == null) {
            return "none";
        }
        return entry.value instanceof String ? "string" : entry.value instanceof Members ? "zset" : "hash";
    }

    /** Gives a key a value, and a new end of its life or none. */
    void put(String key, Object value, @Nullable Long endMillis) {
        entries.put(key, new Entry(value, endMillis));
        changed(key);
    }

    /** Changes the value of a key, whose life stays as it is. */
    void replace(String key, Object value) {
        Entry entry = find(key);
        if (entry == null) {
            put(key, value, null);
        } else {
            entry.value = value;
            changed(key);
        }
    }

    boolean remove(String key) {
        boolean there = find(key) != null;
        entries.remove(key);
        if (there) {
            changed(key);
        }
        return there;
    }

    /** Returns the end of a key's life, or null if it has none. */
    @Nullable
    Long end(String key) {
        Entry entry = find(key);
        return entry == null ? null : entry.endMillis;
    }

    void end(String key, long endMillis) {
        Entry entry = find(key);
        if (entry != null) {
            entry.endMillis = endMillis;
            changed(key);
        }
    }

    /**
     * Returns all keys that live at a time.
     *
     * @param millis the time by the server's clock
     * @return each key with the ms until its life ends, or -1 if it does not end
     */
    public Map<String, Long> lives(long millis) {
        at(millis);
        Map<String, Long> lives = new TreeMap<>();
        for (String key : java.util.List.copyOf(entries.keySet())) {
            Entry entry = find(key);
            if (entry != null) {
                lives.put(key, entry.endMillis == null ? -1 : entry.endMillis - millis);
            }
        }
        return lives;
    }

    /**
     * Returns a copy, as a replica or a disk has it.
     *
     * @return a copy that shares nothing with this
     */
    public Keyspace copy() {
        Keyspace copy = new Keyspace();
        entries.forEach((key, entry) -> {
            Object value = entry.value;
            if (value instanceof Members members) {
                Members copied = new Members();
                copied.putAll(members);
                value = copied;
            } else if (value instanceof Fields fields) {
                Fields copied = new Fields();
                copied.putAll(fields);
                value = copied;
            }
            copy.entries.put(key, new Entry(value, entry.endMillis));
        });
        copy.nowMillis = nowMillis;
        copy.changes = changes;
        return copy;
    }
}
