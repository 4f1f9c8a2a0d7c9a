// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.DistributedLockFactory;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Tells whether the servers of a factory answer: asks whether somebody holds a lock that nobody acquires. No lock is
 * acquired for that.
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {
    /** The name of the lock that is asked for. */
    public static final String LOCK_NAME = "interlock:health";

    private final DistributedLockFactory factory;

    /**
     * Creates an indicator.
     *
     * @param factory the factory
     */
    public LockHealthIndicator(DistributedLockFactory factory) {
        super("The servers of the locks do not answer");
        this.factory = factory;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.withDetail("strategy", factory.strategy());
        factory.getLock(LOCK_NAME).isLocked();
        builder.up();
    }
}
