// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import java.time.Duration;
import java.util.Objects;

/**
 * What one contender asks for: a lock, under a token that nobody else uses, for a time.
 *
 * <p>Two claims are equal only if they are the same object. Instances are immutable; {@link #toString} hides the token.
 */
public final class Claim {
    private final String name;
    private final String token;
    private final Duration lease;
    private final Duration timeout;
    private final int fences;
    private final long number;
    private final boolean waiting;
    private final boolean renewed;

    /**
     * Creates the claim of a thread that does not wait.
     *
     * @param name the name of the lock
     * @param token the owner token: secret, and unique for ever
     * @param lease for how long the lock is wanted, in whole milliseconds
     * @param timeout how long to wait for the answer to a request for this claim, longer than zero
     * @param fences how many consecutive fencing tokens to reserve, at least one: the first for the holder itself, the others
     *     for those to whom it hands the lock over without asking again
     */
    public Claim(String name, String token, Duration lease, Duration timeout, int fences) {
        this(name, token, lease, timeout, fences, 0, false, false);
    }

    /**
     * Creates a claim.
     *
     * @param name the name of the lock
     * @param token the owner token: secret, and unique for ever
     * @param lease for how long the lock is wanted, in whole milliseconds
     * @param timeout how long to wait for the answer to a request for this claim, longer than zero
     * @param fences how many consecutive fencing tokens to reserve, at least one
     * @param number a number that no other claim of the same factory has
     * @param waiting whether the thread goes on waiting if the lock is taken
     * @param renewed whether the lease will be extended for as long as the lock is held
     */
    public Claim(
            String name,
            String token,
            Duration lease,
            Duration timeout,
            int fences,
            long number,
            boolean waiting,
            boolean renewed) {
        this.name = Objects.requireNonNull(name, "name");
        this.token = Objects.requireNonNull(token, "token");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.timeout = Objects.requireNonNull(timeout, "timeout");
        this.fences = fences;
        this.number = number;
        this.waiting = waiting;
        this.renewed = renewed;
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the owner token, which must not get into a log or message.
     *
     * @return the token
     */
    public String token() {
        return token;
    }

    /**
     * Returns for how long the lock is wanted.
     *
     * @return the lease, in whole milliseconds
     */
    public Duration lease() {
        return lease;
    }

    /**
     * Returns how long to wait for the answer to a request for this claim: the command time-out, or less where the answer would
     * be of no use later, as for a lease that ends before.
     *
     * @return the longest time to wait, a connection included
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Returns how many consecutive fencing tokens to reserve.
     *
     * @return the number of tokens, at least one
     */
    public int fences() {
        return fences;
    }

    /**
     * Returns a number that no other claim of the same factory has, and that is no secret.
     *
     * @return the number
     */
    public long number() {
        return number;
    }

    /**
     * Tells whether the thread goes on waiting if the lock is taken.
     *
     * @return {@code false} if it asks only once
     */
    public boolean isWaiting() {
        return waiting;
    }

    /**
     * Tells whether the lease will be extended for as long as the lock is held, so that it may be short at first.
     *
     * @return {@code false} if the holder is to have the whole lease from the beginning
     */
    public boolean isRenewed() {
        return renewed;
    }

    /**
     * Returns this claim with another lease: the same holder, asking for another time.
     *
     * @param newLease for how long the lock is wanted
     * @return the claim
     */
    public Claim withLease(Duration newLease) {
        return new Claim(name, token, newLease, timeout, fences, number, waiting, renewed);
    }

    /**
     * Returns this claim with another time-out: the same holder, with more or less patience.
     *
     * @param newTimeout how long to wait for the answer to a request for this claim, longer than zero
     * @return the claim
     */
    public Claim withTimeout(Duration newTimeout) {
        return new Claim(name, token, lease, newTimeout, fences, number, waiting, renewed);
    }

    @Override
    public String toString() {
        return "Claim[" + name + ", lease=" + lease + "]";
    }
}
