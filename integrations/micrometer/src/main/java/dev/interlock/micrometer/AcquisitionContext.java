// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.observation.Observation;
import java.util.OptionalLong;

/**
 * What is known of one acquisition of a lock while it is observed. Its outcome and its fencing token are known when the observation
 * stops.
 */
public final class AcquisitionContext extends Observation.Context {
    private final String strategy;
    private final String lockName;
    private final String group;
    private final Wait wait;
    private volatile Outcome outcome = Outcome.UNKNOWN;
    private volatile OptionalLong fencingToken = OptionalLong.empty();

    /** For how long an acquisition waits for a lock that somebody else holds. */
    public enum Wait {
        /** It does not wait. */
        NONE,
        /** For a time. */
        BOUNDED,
        /** For as long as it takes. */
        UNBOUNDED
    }

    /** How an acquisition ended. */
    public enum Outcome {
        /** It has not ended. */
        UNKNOWN,
        /** The caller has the lock. */
        ACQUIRED,
        /** Somebody else had it for as long as the caller wanted to wait. */
        TAKEN,
        /** The caller was interrupted. */
        INTERRUPTED,
        /** The caller cancelled it. */
        CANCELLED,
        /** The caller was told that it had lost the lock before. */
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
     * Returns for how long the caller would wait.
     *
     * @return the kind of wait
     */
    public Wait waiting() {
        return wait;
    }

    /**
     * Returns how the acquisition ended.
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
