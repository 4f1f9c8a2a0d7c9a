// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition as the backend knows it: the name of the lock, an owner token of its own, and the lease.
 *
 * <p>Two claims are equal only if they are the same object. Instances are immutable; {@link #toString} hides the token.
 */
public final class Claim {
    private final String name;
    private final OwnerToken owner;
    private final Duration lease;
    private final Duration timeout;
    private final int fences;
    private final long number;
    private final boolean waiting;
    private final boolean renewed;
    private final @Nullable String condition;
    private final boolean held;

    /**
     * Creates the claim of a thread that does not wait.
     *
     * @param name the name of the lock
     * @param token the owner token: secret, and unique for ever
     * @param lease for how long the lock is wanted, in whole milliseconds
     * @param timeout how long to wait for the answer to a request for this claim, longer than zero
     * @param fences how many consecutive fencing tokens to reserve, at least one
     */
    public Claim(String name, String token, Duration lease, Duration timeout, int fences) {
        this(name, new OwnerToken(token), lease, timeout, fences, 0, false, false);
    }

    /**
     * Creates a claim.
     *
     * @param name the name of the lock
     * @param owner the owner token
     * @param lease for how long the lock is wanted, in whole milliseconds
     * @param timeout how long to wait for the answer to a request for this claim, longer than zero
     * @param fences how many consecutive fencing tokens to reserve, at least one
     * @param number a number that no other claim of the same factory has
     * @param waiting whether the thread goes on waiting if the lock is taken
     * @param renewed whether the lease will be extended for as long as the lock is held
     */
    public Claim(
            String name,
            OwnerToken owner,
            Duration lease,
            Duration timeout,
            int fences,
            long number,
            boolean waiting,
            boolean renewed) {
        this.name = Objects.requireNonNull(name, "name");
        this.owner = Objects.requireNonNull(owner, "owner");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.timeout = Objects.requireNonNull(timeout, "timeout");
        this.fences = fences;
        this.number = number;
        this.waiting = waiting;
        this.renewed = renewed;
        this.condition = null;
        this.held = false;
    }

    private Claim(Claim from, String name, Duration lease, Duration timeout, @Nullable String condition, boolean held) {
        this.name = Objects.requireNonNull(name, "name");
        this.owner = from.owner;
        this.lease = Objects.requireNonNull(lease, "lease");
        this.timeout = Objects.requireNonNull(timeout, "timeout");
        this.fences = from.fences;
        this.number = from.number;
        this.waiting = from.waiting;
        this.renewed = from.renewed;
        this.condition = condition;
        this.held = held;
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
     * Returns the name that users know: of a claim for a side of a read/write lock, the name of that lock.
     *
     * @return the name of the lock
     */
    public String lockName() {
        return LockSide.lockName(name);
    }

    /**
     * Returns the owner token, which must not get into a log or message.
     *
     * @return the token
     */
    public String token() {
        return owner.text();
    }

    /**
     * Returns the owner token as an object that all claims made from this one share.
     *
     * @return the token
     */
    public OwnerToken owner() {
        return owner;
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
     * Returns how long to wait for the answer to a request for this claim: the command time-out, or less where the
     * answer would be of no use later, as for a lease that ends before.
     *
     * @return the longest time to wait, a connection included
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Returns how many consecutive fencing tokens to reserve: for the holder, and for hand-offs without a request.
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
        return new Claim(this, name, newLease, timeout, condition, held);
    }

    /**
     * Returns this claim with another time-out: the same holder, with more or less patience.
     *
     * @param newTimeout how long to wait for the answer to a request for this claim, longer than zero
     * @return the claim
     */
    public Claim withTimeout(Duration newTimeout) {
        return new Claim(this, name, lease, newTimeout, condition, held);
    }

    /**
     * Returns the condition for which the claimant waits, or for which whoever holds the lock by this claim has waited.
     *
     * @return what tells the condition from the others of its lock, or empty if the lock is asked for in another way
     */
    public Optional<String> condition() {
        return Optional.ofNullable(condition);
    }

    /**
     * Returns this claim as that of a thread which waits for a condition.
     *
     * @param newCondition what tells the condition from the others of its lock, or {@code null} for none
     * @return the claim
     */
    public Claim withCondition(@Nullable String newCondition) {
        return new Claim(this, name, lease, timeout, newCondition, held);
    }

    /**
     * Tells whether a thread has held the lock by this claim and has done with it what it wanted. Only the release of
     * such a claim confirms the signal for which it has waited, or which it has {@linkplain ConditionProtocol#adopt
     * adopted}; that of any other leaves the signal for the next waiter.
     *
     * @return {@code false} if no thread has held the lock by it, or the hold has ended too soon
     */
    public boolean isHeld() {
        return held;
    }

    /**
     * Returns this claim as one by which a thread holds the lock, or not.
     *
     * @param nowHeld whether a thread holds the lock by it
     * @return the claim
     */
    public Claim withHeld(boolean nowHeld) {
        return new Claim(this, name, lease, timeout, condition, nowHeld);
    }

    /**
     * Returns this claim to another lock, for protocols that know locks by other names than their users do.
     *
     * @param newName the name of the lock
     * @return the claim
     */
    public Claim withName(String newName) {
        return new Claim(this, newName, lease, timeout, condition, held);
    }

    @Override
    public String toString() {
        return "Claim[" + lockName() + ", lease=" + lease + "]";
    }
}
