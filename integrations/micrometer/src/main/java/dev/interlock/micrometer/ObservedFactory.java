// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.spi.StrategyProfile;

/** A factory whose locks are observed. */
final class ObservedFactory implements DistributedLockFactory {
    private final DistributedLockFactory factory;
    private final Observations observations;
    private final ThreadHolds holds = new ThreadHolds();

    ObservedFactory(DistributedLockFactory factory, Observations observations) {
        this.factory = factory;
        this.observations = observations;
    }

    @Override
    public String strategy() {
        return factory.strategy();
    }

    @Override
    public StrategyProfile profile() {
        return factory.profile();
    }

    @Override
    public DistributedLock getLock(String name) {
        return observed(factory.getLock(name));
    }

    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        return observed(factory.getLock(name, options));
    }

    private DistributedLock observed(DistributedLock lock) {
        return new ObservedLock(lock, observations, holds);
    }

    @Override
    public void close() {
        factory.close();
    }

    @Override
    public String toString() {
        return "observed " + factory;
    }
}
