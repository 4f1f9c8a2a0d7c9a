// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.engine.protocol.Claim;

/** The value of the key of a held lock: the version of this format, the owner token, and a mark once somebody waits. */
final class LockWord {
    /** The same as in word.lua. */
    static final String MAGIC = "il1:";

    /** The same as in word.lua; no owner token ends with it. */
    static final String MARK = ":contended";

    private LockWord() {}

    /** Returns the word of a claim while nobody waits for its lock. */
    static String of(Claim claim) {
        return MAGIC + claim.token();
    }

    static String marked(String word) {
        return word + MARK;
    }

    /** Returns whether a value is the word of some claim without a mark, so that it may be marked. */
    static boolean isUnmarked(String value) {
        return value.startsWith(MAGIC) && !value.endsWith(MARK);
    }

    /** Returns whether a value is the word of some claim, marked or not. */
    static boolean isOurs(String value) {
        return value.startsWith(MAGIC);
    }

    /** Returns a value without the mark, if it has one. */
    static String unmarked(String value) {
        return value.endsWith(MARK) ? value.substring(0, value.length() - MARK.length()) : value;
    }

    /** Returns the owner token in the word of some claim. */
    static String token(String word) {
        return unmarked(word).substring(MAGIC.length());
    }
}
