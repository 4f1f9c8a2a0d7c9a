// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.several;

import dev.interlock.engine.backend.LockNames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The names of a lock over several names, each once, in the order in which all clients acquire them. Instances are
 * immutable.
 */
public final class NameSet {
    /**
     * The order in which servers and programs in other languages compare texts. {@link String#compareTo} differs: it
     * puts some emoji before some letters.
     */
    private static final Comparator<String> ORDER =
            Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final List<String> names;
    private final String text;
    private final String key;

    private NameSet(List<String> names) {
        this.names = names;
        this.text = names.toString();
        this.key = names.stream().map(name -> name.length() + ":" + name).collect(Collectors.joining());
    }

    /**
     * Creates a set of names.
     *
     * @param names the names in any order; duplicates count once
     * @throws IllegalArgumentException if there is none, or one is no name of a lock
     */
    public static NameSet of(Collection<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("a lock over no names protects nothing: name at least one");
        }
        for (String name : names) {
            LockNames.check(Objects.requireNonNull(name, "name"));
        }
        return new NameSet(names.stream().distinct().sorted(ORDER).toList());
    }

    /** Returns the names, in their order. */
    public List<String> names() {
        return names;
    }

    /** Returns the name of the lock over these names, for people. */
    public String text() {
        return text;
    }

    /** Returns a text that no other set of names has. */
    public String key() {
        return key;
    }
}
