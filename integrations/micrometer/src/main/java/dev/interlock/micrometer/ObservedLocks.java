// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLockFactory;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Observes each acquisition and each hold of a factory's locks, for example as spans of a trace.
 *
 * <pre>{@code
 * DistributedLockFactory locks = ObservedLocks.builder(observations).group(LockGroups.before(":")).build()
 *         .observe(DistributedLocks.getInstance(config));
 * }</pre>
 *
 * <p>{@link LockObservation} says what is observed. An acquisition is observed in its own scope, so that observations
 * of the server's client become its children. A hold has no scope, because locks need not be released in the reverse
 * order of their acquisition; its parent is the observation that was current when the lock was requested.
 *
 * <p>Whatever a handler or a convention throws is logged once, and does not reach the lock. Apart from that, and from
 * the time that handlers take, the locks do what they do without being observed. Instances are immutable and safe to
 * use from any thread.
 */
public final class ObservedLocks {
    private final ObservationRegistry registry;
    private final UnaryOperator<String> group;
    private final @Nullable AcquisitionConvention acquisitionConvention;
    private final @Nullable HoldConvention holdConvention;

    private ObservedLocks(Builder builder) {
        registry = builder.registry;
        group = builder.group;
        acquisitionConvention = builder.acquisitionConvention;
        holdConvention = builder.holdConvention;
    }

    /**
     * Returns a builder with one group for all locks, and the conventions of {@link LockObservation}.
     *
     * @param registry where the handlers of the observations are registered
     * @return a new builder
     */
    public static Builder builder(ObservationRegistry registry) {
        return new Builder(registry);
    }

    /**
     * Returns a factory whose locks are observed. They are the locks of the given factory: a thread that holds one
     * holds the other.
     *
     * @param factory the factory
     * @return a factory that is closed in place of the given one; the given one itself if the registry is
     *     {@link ObservationRegistry#NOOP}
     */
    public DistributedLockFactory observe(DistributedLockFactory factory) {
        Objects.requireNonNull(factory, "factory");
        // Not isNoop(), which a registry also is as long as it has no handler.
        if (ObservationRegistry.NOOP.equals(registry)) {
            return factory;
        }
        return new ObservedFactory(
                factory,
                new ObservationFactory(
                        registry, new Grouping(group), factory.strategy(), acquisitionConvention, holdConvention));
    }

    /** Builds {@link ObservedLocks}. Not safe for use by several threads at once. */
    public static final class Builder {
        private final ObservationRegistry registry;
        private UnaryOperator<String> group = LockGroups.all();
        private @Nullable AcquisitionConvention acquisitionConvention;
        private @Nullable HoldConvention holdConvention;

        private Builder(ObservationRegistry registry) {
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        /**
         * Sets the function from a lock to its group. Beyond a hundred groups, further ones count as {@link
         * LockGroups#OTHER}, and so do locks for which the function fails or returns nothing.
         *
         * @param group a function from the name of a lock to its group
         * @return this builder
         */
        public Builder group(UnaryOperator<String> group) {
            this.group = Objects.requireNonNull(group, "group");
            return this;
        }

        /**
         * Sets the convention for observations of acquisitions. If none is set, that of the registry is used, if it has
         * one.
         *
         * @param convention the convention
         * @return this builder
         */
        public Builder acquisitionConvention(AcquisitionConvention convention) {
            this.acquisitionConvention = Objects.requireNonNull(convention, "convention");
            return this;
        }

        /**
         * Sets the convention for observations of holds. If none is set, that of the registry is used, if it has one.
         *
         * @param convention the convention
         * @return this builder
         */
        public Builder holdConvention(HoldConvention convention) {
            this.holdConvention = Objects.requireNonNull(convention, "convention");
            return this;
        }

        /**
         * Returns the object that observes factories.
         *
         * @return the observer
         */
        public ObservedLocks build() {
            return new ObservedLocks(this);
        }
    }
}
