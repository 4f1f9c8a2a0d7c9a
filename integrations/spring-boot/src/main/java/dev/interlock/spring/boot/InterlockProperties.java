// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.spring.LockedAdvisor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings of the application, beside those of its {@linkplain LockFactoryProperties default factory}. */
@ConfigurationProperties("interlock")
public final class InterlockProperties {
    /**
     * Whether factories of locks are made.
     */
    private boolean enabled = true;

    /**
     * Further factories by the names of their beans. What one does not set is as in interlock.*.
     */
    private Map<String, LockFactoryProperties> factories = new LinkedHashMap<>();

    private final Methods locked = new Methods();

    private final Metrics metrics = new Metrics();

    private final Observations observations = new Observations();

    /** Creates the settings that hold unless set otherwise. */
    public InterlockProperties() {}

    /**
     * Returns whether factories are made.
     *
     * @return whether they are
     */
    public boolean isEnabled() {
        return enabled;
    }

    /**
     * Sets whether factories are made.
     *
     * @param enabled whether they are
     */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /**
     * Returns the further factories.
     *
     * @return their settings by the names of their beans
     */
    public Map<String, LockFactoryProperties> getFactories() {
        return factories;
    }

    /**
     * Sets the further factories.
     *
     * @param factories their settings by the names of their beans
     */
    public void setFactories(Map<String, LockFactoryProperties> factories) {
        this.factories = factories;
    }

    /**
     * Returns the settings of {@code @Locked} methods.
     *
     * @return the settings
     */
    public Methods getLocked() {
        return locked;
    }

    /**
     * Returns the settings of metrics.
     *
     * @return the settings
     */
    public Metrics getMetrics() {
        return metrics;
    }

    /**
     * Returns the settings of observations.
     *
     * @return the settings
     */
    public Observations getObservations() {
        return observations;
    }

    /** The settings of observations. */
    public static final class Observations {
        /**
         * Whether acquisitions and holds are observed, as spans of a trace are, where interlock-micrometer and an
         * observation registry are there.
         */
        private boolean enabled = true;

        /** Creates the settings that hold unless set otherwise. */
        public Observations() {}

        /**
         * Returns whether acquisitions and holds are observed.
         *
         * @return whether they are
         */
        public boolean isEnabled() {
            return enabled;
        }

        /**
         * Sets whether acquisitions and holds are observed.
         *
         * @param enabled whether they are
         */
        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }

    /** The settings of metrics. */
    public static final class Metrics {
        /**
         * Whether locks are counted and measured where interlock-micrometer and a meter registry are there.
         */
        private boolean enabled = true;

        /**
         * Separator that ends the group in the name of a lock, such as a colon. Unless set, all locks are one group.
         */
        private @Nullable String groupSeparator;

        /** Creates the settings that hold unless set otherwise. */
        public Metrics() {}

        /**
         * Returns whether locks are counted and measured.
         *
         * @return whether they are
         */
        public boolean isEnabled() {
            return enabled;
        }

        /**
         * Sets whether locks are counted and measured.
         *
         * @param enabled whether they are
         */
        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        /**
         * Returns the separator that ends the group in the name of a lock.
         *
         * @return the separator, or null if all locks are one group
         */
        public @Nullable String getGroupSeparator() {
            return groupSeparator;
        }

        /**
         * Sets the separator that ends the group in the name of a lock.
         *
         * @param groupSeparator the separator, or null if all locks are one group
         */
        public void setGroupSeparator(@Nullable String groupSeparator) {
            this.groupSeparator = groupSeparator;
        }
    }

    /** The settings of {@code @Locked} methods. */
    public static final class Methods {
        /**
         * Whether methods with the annotation @Locked run inside their locks.
         */
        private boolean enabled = true;

        /**
         * Longest time for which a method waits for its lock unless its annotation says so.
         */
        private Duration waitTime = Duration.ofSeconds(10);

        /**
         * Place of locks among other advice of a method. A smaller number is further outside; that of transactions must
         * be larger.
         */
        private int order = LockedAdvisor.DEFAULT_ORDER;

        /** Creates the settings that hold unless set otherwise. */
        public Methods() {}

        /**
         * Returns whether the annotation works.
         *
         * @return whether it does
         */
        public boolean isEnabled() {
            return enabled;
        }

        /**
         * Sets whether the annotation works.
         *
         * @param enabled whether it does
         */
        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        /**
         * Returns the longest wait.
         *
         * @return the wait
         */
        public Duration getWaitTime() {
            return waitTime;
        }

        /**
         * Sets the longest wait.
         *
         * @param waitTime the wait
         */
        public void setWaitTime(Duration waitTime) {
            this.waitTime = waitTime;
        }

        /**
         * Returns the order.
         *
         * @return the order
         */
        public int getOrder() {
            return order;
        }

        /**
         * Sets the order.
         *
         * @param order the order
         */
        public void setOrder(int order) {
            this.order = order;
        }
    }
}
