// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockOptions;
import dev.interlock.ServerStatus;
import dev.interlock.spi.StrategyProfile;
import java.util.Collection;
import java.util.List;

/** A factory whose locks are observed. */
final class ObservedFactory implements DistributedLockFactory {
    private final DistributedLockFactory factory;
    private final ObservationFactory observations;
    private final ThreadHolds holds = new ThreadHolds();
    private final ThreadHolds readHolds = new ThreadHolds();
    private final ThreadHolds writeHolds = new ThreadHolds();

    ObservedFactory(DistributedLockFactory factory, ObservationFactory observations) {
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

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name) {
        return observed(factory.getReadWriteLock(name));
    }

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name, LockOptions options) {
        return observed(factory.getReadWriteLock(name, options));
    }

    private DistributedReadWriteLock observed(DistributedReadWriteLock lock) {
        return new Sides(
                lock.name(),
                new ObservedLock(lock.readLock(), observations, readHolds),
                new ObservedLock(lock.writeLock(), observations, writeHolds));
    }

    private record Sides(String name, DistributedLock readLock, DistributedLock writeLock)
            implements DistributedReadWriteLock {}

    @Override
    public DistributedLock getLock(Collection<String> names) {
        return observed(factory.getLock(names));
    }

    @Override
    public DistributedLock getLock(Collection<String> names, LockOptions options) {
        return observed(factory.getLock(names, options));
    }

    private DistributedLock observed(DistributedLock lock) {
        return new ObservedLock(lock, observations, holds);
    }

    @Override
    public List<ServerStatus> servers() {
        return factory.servers();
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
