// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Checks the names of locks and conditions. */
public final class LockNames {
    private static final int MAX_BYTES = 512;

    private LockNames() {}

    public static void check(String name) {
        check(name, "lock", "what it protects");
    }

    /** Checks the name of a condition, by the same rules. */
    public static void checkCondition(String name) {
        check(name, "condition", "what it waits for");
    }

    private static void check(String name, String kind, String named) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of a " + kind + " is blank: name " + named);
        }
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "the name of a " + kind + " has half of a surrogate pair and cannot be encoded in UTF-8", e);
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("the name of a " + kind + " has " + bytes
                    + " bytes in UTF-8, and may have " + MAX_BYTES + ": use a digest of " + named);
        }
    }
}
