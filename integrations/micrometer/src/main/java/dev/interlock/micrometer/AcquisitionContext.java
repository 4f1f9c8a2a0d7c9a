// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.observation.Observation;
import java.util.OptionalLong;

/**
 * The context of the observation of one acquisition. Outcome and fencing token are set when the observation stops.
 */
public final class AcquisitionContext extends Observation.Context {
    private final String strategy;
    private final String lockName;
    private final String group;
    private final Wait wait;
    private volatile Outcome outcome = Outcome.UNKNOWN;
    private volatile OptionalLong fencingToken = OptionalLong.empty();

    /** The longest wait of an acquisition for a lock that somebody else holds. */
    public enum Wait {
        /** No wait. */
        NONE,
        /** A bounded wait. */
        BOUNDED,
        /** A wait without limit. */
        UNBOUNDED
    }

    /** The outcome of an acquisition. */
    public enum Outcome {
        /** The acquisition has not ended. */
        UNKNOWN,
        /** The caller has the lock. */
        ACQUIRED,
        /** Somebody else held the lock for as long as the caller would wait. */
        TAKEN,
        /** The caller was interrupted. */
        INTERRUPTED,
        /** The caller cancelled the acquisition. */
        CANCELLED,
        /** The caller was told of the loss of an earlier hold. */
        LOST,
        /** The backend did not answer, or the factory was closed. */
        FAILED
    }

    AcquisitionContext(String strategy, String lockName, String group, Wait wait) {
        this.strategy = strategy;
        this.lockName = lockName;
        this.group = group;
        this.wait = wait;
    }

    /**
     * Returns the strategy of the factory.
     *
     * @return its name
     */
    public String strategy() {
        return strategy;
    }

    /**
     * Returns the lock.
     *
     * @return its name
     */
    public String lockName() {
        return lockName;
    }

    /**
     * Returns the group of the lock.
     *
     * @return the group
     */
    public String group() {
        return group;
    }

    /**
     * Returns the longest wait of the caller.
     *
     * @return the kind of wait
     */
    public Wait waiting() {
        return wait;
    }

    /**
     * Returns the outcome of the acquisition.
     *
     * @return the outcome, {@link Outcome#UNKNOWN} until it has ended
     */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * Returns the fencing token.
     *
     * @return the token, or empty if the lock was not acquired, or the strategy draws none
     */
    public OptionalLong fencingToken() {
        return fencingToken;
    }

    void ended(Outcome outcome) {
        this.outcome = outcome;
    }

    void acquired(OptionalLong fencingToken) {
        this.outcome = Outcome.ACQUIRED;
        this.fencingToken = fencingToken;
    }
}
