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
 * Who holds a lock or waits for it, as far as the keys say.
 *
 * @param factory what tells the factory from all others: a digest, from which its owner tokens cannot be found; empty
 *     if it is none of ours, or the keys do not say
 * @param client the id that the client of another library has given itself; empty if there is none
 * @param thread the thread, as that client has noted it; empty where that is not known
 * @param claim what tells the claim from all others of any factory
 * @param since since when it waits, or about when it was granted the lock, by the server's clock; empty where that is
 *     not known
 * @param card what the factory says of itself, if it does
 */
public record LockParty(
        Optional<String> factory,
        Optional<String> client,
        Optional<String> thread,
        String claim,
        Optional<Instant> since,
        Optional<FactoryCard> card) {
    /** The number of digits of the digest that tell factories apart. */
    private static final int DIGITS = 12;

    /** Requires all parts. */
    public LockParty {
        Objects.requireNonNull(factory, "factory");
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(thread, "thread");
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
                Optional.of(factory),
                Optional.empty(),
                Optional.empty(),
                factory + token.substring(Math.max(hyphen, 0)),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Returns an unknown party: the keys do not say who it is.
     *
     * @param value what the key of the lock holds
     * @return the party, whose claim is a digest of that value
     */
    public static LockParty unknown(String value) {
        return new LockParty(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                digest(value),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Returns the party that a client of another library is.
     *
     * @param client the id that the client has given itself
     * @param thread the thread, as the client has noted it
     * @return the party, of which no more is known
     */
    public static LockParty ofClient(String client, String thread) {
        return new LockParty(
                Optional.empty(),
                Optional.of(client),
                Optional.of(thread),
                client + ":" + thread,
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Returns the digest that identifies the factory of an owner token.
     *
     * @param token the owner token
     * @return the digest
     */
    public static String factoryOf(String token) {
        int hyphen = token.lastIndexOf('-');
        return digest(hyphen < 0 ? token : token.substring(0, hyphen));
    }

    private static String digest(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Returns a copy of this party with further details.
     *
     * @param since since when it waits, or about when it was granted the lock
     * @param card what its factory says of itself
     * @return the party
     */
    public LockParty with(Optional<Instant> since, Optional<FactoryCard> card) {
        return new LockParty(factory, client, thread, claim, since, card);
    }

    /**
     * Returns this party with the client through which it locks, and its thread if that is known.
     *
     * @param client the id that the client has given itself
     * @param thread the thread, as the client has noted it
     * @return the party
     */
    public LockParty through(String client, Optional<String> thread) {
        return new LockParty(factory, Optional.of(client), thread, claim, since, card);
    }

    /**
     * Returns what tells the factory, or the client of another library, from all others.
     *
     * @return the factory, or else the client; empty if the keys do not say
     */
    public Optional<String> identity() {
        return factory.or(() -> client);
    }
}
