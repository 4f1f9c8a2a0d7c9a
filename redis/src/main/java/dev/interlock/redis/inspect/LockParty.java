// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;

/**
 * Who holds a lock or waits for it: a claim of a factory.
 *
 * @param factory what tells the factory from all others: a digest, from which its owner tokens cannot be found
 * @param claim what tells the claim from all others of any factory
 * @param since since when it waits, or about when it was granted the lock, by the server's clock; empty where that is not known
 * @param card what the factory says of itself, if it does
 */
public record LockParty(String factory, String claim, Optional<Instant> since, Optional<FactoryCard> card) {
    /** How much of the digest is enough to tell factories apart. */
    private static final int DIGITS = 12;

    /** Requires all parts. */
    public LockParty {
        Objects.requireNonNull(factory, "factory");
        Objects.requireNonNull(claim, "claim");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(card, "card");
    }

    /**
     * Returns the party that an owner token of the engine belongs to.
     *
     * @param token the owner token: what all tokens of a factory share, a hyphen, and the number of the claim
     * @return the party, of which no more is known
     */
    public static LockParty of(String token) {
        int hyphen = token.lastIndexOf('-');
        String factory = factoryOf(token);
        return new LockParty(
                factory, factory + token.substring(Math.max(hyphen, 0)), Optional.empty(), Optional.empty());
    }

    /**
     * Returns what tells the factory of an owner token from all others.
     *
     * @param token the owner token
     * @return the digest
     */
    public static String factoryOf(String token) {
        int hyphen = token.lastIndexOf('-');
        String secret = hyphen < 0 ? token : token.substring(0, hyphen);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Returns this party with what else is known of it.
     *
     * @param since since when it waits, or about when it was granted the lock
     * @param card what its factory says of itself
     * @return the party
     */
    public LockParty with(Optional<Instant> since, Optional<FactoryCard> card) {
        return new LockParty(factory, claim, since, card);
    }
}
