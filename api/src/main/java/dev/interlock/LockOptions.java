// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.internal.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of acquisitions of a lock.
 *
 * <p>Instances are immutable and safe to use from any thread.
 *
 * @see DistributedLockFactory#getLock(String, LockOptions)
 */
public final class LockOptions {
    /** The shortest lease that can be asked for: 10 milliseconds. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The longest lease, and the longest {@code maxHold}, that can be asked for: 7 days. */
    public static final Duration MAX_LEASE = Duration.ofDays(7);

    private static final LockOptions DEFAULTS = builder().build();

    private final Duration lease;
    private final boolean renewal;
    private final Optional<Duration> maxHold;
    private final boolean interruptOnLoss;

    private LockOptions(Builder builder) {
        lease = builder.lease;
        renewal = builder.renewal;
        maxHold = builder.maxHold;
        interruptOnLoss = builder.interruptOnLoss;
    }

    /**
     * Returns the options that apply where none are given: a lease of 30 seconds, renewed for as long as it is held.
     *
     * @return the default options
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a builder that starts from the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a builder that starts from these options.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.lease = lease;
        builder.renewal = renewal;
        builder.maxHold = maxHold;
        builder.interruptOnLoss = interruptOnLoss;
        return builder;
    }

    /**
     * Returns for how long the lock is granted at a time. Others wait for that long at most after a holder has died.
     *
     * @return the lease
     */
    public Duration lease() {
        return lease;
    }

    /**
     * Tells whether the lease is renewed in the background while the lock is held: whenever a third of it has passed.
     *
     * @return {@code true} if it is
     */
    public boolean renewal() {
        return renewal;
    }

    /**
     * Returns the longest time for which renewal keeps the lock for one holder, counted from its grant.
     *
     * @return the bound, or empty if there is none
     */
    public Optional<Duration> maxHold() {
        return maxHold;
    }

    /**
     * Tells whether a thread is interrupted when it loses the lock that it holds. Without effect for
     * {@linkplain DistributedLock#acquire() handles}, which no thread owns.
     *
     * <p>A thread that learns of the loss from a call is not interrupted afterwards. The exception is a thread of a
     * class that overrides {@link Thread#interrupt()}: the call waits for that method for one command time-out at most.
     *
     * @return {@code true} if it is
     */
    public boolean interruptOnLoss() {
        return interruptOnLoss;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockOptions that
                && lease.equals(that.lease)
                && renewal == that.renewal
                && maxHold.equals(that.maxHold)
                && interruptOnLoss == that.interruptOnLoss;
    }

    @Override
    public int hashCode() {
        return Objects.hash(lease, renewal, maxHold, interruptOnLoss);
    }

    @Override
    public String toString() {
        return "LockOptions[lease=" + lease + ", renewal=" + renewal
                + maxHold.map(bound -> ", maxHold=" + bound).orElse("") + ", interruptOnLoss=" + interruptOnLoss + "]";
    }

    /** Builds {@link LockOptions}. Not safe for use by several threads at once. */
    public static final class Builder {
        private Duration lease = Duration.ofSeconds(30);
        private boolean renewal = true;
        private Optional<Duration> maxHold = Optional.empty();
        private boolean interruptOnLoss;

        private Builder() {}

        /**
         * Sets for how long the lock is granted at a time. Fractions of a millisecond are dropped.
         *
         * @param lease the lease, from {@link #MIN_LEASE} to {@link #MAX_LEASE}
         * @return this builder
         * @throws IllegalArgumentException if it lies outside
         */
        public Builder lease(Duration lease) {
            this.lease = Durations.toMillis("lease", lease, MIN_LEASE, MAX_LEASE);
            return this;
        }

        /**
         * Sets whether the lease is renewed in the background while the lock is held.
         *
         * @param renewal {@code true} to renew it
         * @return this builder
         */
        public Builder renewal(boolean renewal) {
            this.renewal = renewal;
            return this;
        }

        /**
         * Sets the longest time for which renewal keeps the lock for one holder. Fractions of a millisecond are
         * dropped.
         *
         * @param maxHold the bound, not shorter than the lease and at most {@link #MAX_LEASE}
         * @return this builder
         * @throws IllegalArgumentException if it lies outside {@link #MIN_LEASE} to {@link #MAX_LEASE}
         */
        public Builder maxHold(Duration maxHold) {
            this.maxHold = Optional.of(Durations.toMillis("maxHold", maxHold, MIN_LEASE, MAX_LEASE));
            return this;
        }

        /**
         * Sets whether a thread is interrupted when it loses the lock that it holds.
         *
         * @param interruptOnLoss {@code true} to interrupt it
         * @return this builder
         */
        public Builder interruptOnLoss(boolean interruptOnLoss) {
            this.interruptOnLoss = interruptOnLoss;
            return this;
        }

        /**
         * Returns the options.
         *
         * @return the options
         * @throws IllegalArgumentException if {@code maxHold} is shorter than {@code lease}
         */
        public LockOptions build() {
            maxHold.ifPresent(bound -> {
                if (bound.compareTo(lease) < 0) {
                    throw new IllegalArgumentException("maxHold (" + bound + ") is shorter than lease (" + lease
                            + "): shorten the lease or lengthen maxHold");
                }
            });
            return new LockOptions(this);
        }
    }
}
