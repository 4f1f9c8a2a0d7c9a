// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LossCause;
import io.micrometer.observation.Observation;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The context of the observation of one hold, from its acquisition to its release or loss. The loss is set when the
 * observation stops.
 */
public final class HoldContext extends Observation.Context {
    private final String strategy;
    private final String lockName;
    private final String group;
    private final OptionalLong fencingToken;
    private volatile Optional<LossCause> loss = Optional.empty();

    HoldContext(String strategy, String lockName, String group, OptionalLong fencingToken) {
        this.strategy = strategy;
        this.lockName = lockName;
        this.group = group;
        this.fencingToken = fencingToken;
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
     * Returns the fencing token.
     *
     * @return the token, or empty if the strategy draws none
     */
    public OptionalLong fencingToken() {
        return fencingToken;
    }

    /**
     * Returns why the lock was lost.
     *
     * @return the cause, or empty if it was released, or is held
     */
    public Optional<LossCause> loss() {
        return loss;
    }

    void lost(LossCause cause) {
        loss = Optional.of(cause);
    }
}
