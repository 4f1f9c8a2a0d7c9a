// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The owner token of a claim: a text that no other claim uses. All claims that were made from one by {@code with…}
 * methods share it, so that it is reachable for as long as one of them is.
 *
 * <p>A factory keeps one for each lock that it holds, so the text is put together when it is needed. Instances are
 * immutable; {@link #toString} hides the text.
 */
public final class OwnerToken {
    private final String prefix;

    /** What follows the prefix, or 0 for nothing. */
    private final long number;

    /**
     * Creates a token.
     *
     * @param text the token: secret, and unique for ever
     */
    public OwnerToken(String text) {
        this.prefix = Objects.requireNonNull(text, "text");
        this.number = 0;
    }

    /**
     * Creates a token that begins as others of its factory do.
     *
     * @param prefix the beginning: secret, unique for ever, and the same string for all tokens of a factory
     * @param number what follows it, positive, which no other token with this prefix has
     */
    public OwnerToken(String prefix, long number) {
        if (number <= 0) {
            throw new IllegalArgumentException("the number of a token must be positive, not " + number);
        }
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.number = number;
    }

    /**
     * Returns the token, which must not get into a log or message.
     *
     * @return the text
     */
    public String text() {
        return number == 0 ? prefix : prefix + number;
    }

    /**
     * Compares two tokens.
     *
     * @param other another object
     * @return whether it is a token with the same text
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OwnerToken that && text().equals(that.text());
    }

    /**
     * Returns the hash code of the text.
     *
     * @return a hash code
     */
    @Override
    public int hashCode() {
        return text().hashCode();
    }

    /** Returns a text without the token. */
    @Override
    public String toString() {
        return "OwnerToken";
    }
}
