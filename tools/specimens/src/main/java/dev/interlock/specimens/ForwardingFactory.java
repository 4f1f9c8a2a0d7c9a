// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockOptions;
import dev.interlock.ServerStatus;
import dev.interlock.spi.StrategyProfile;
import java.util.Collection;
import java.util.List;

/** Forwards every call to a correct factory. Subclasses break one method, usually {@link #spoil}. */
public class ForwardingFactory implements DistributedLockFactory {
    protected final DistributedLockFactory correct;

    public ForwardingFactory(DistributedLockFactory correct) {
        this.correct = correct;
    }

    /** Returns the broken lock for a correct one. */
    protected DistributedLock spoil(DistributedLock lock) {
        return lock;
    }

    @Override
    public String strategy() {
        return correct.strategy();
    }

    @Override
    public StrategyProfile profile() {
        return correct.profile();
    }

    @Override
    public DistributedLock getLock(String name) {
        return spoil(correct.getLock(name));
    }

    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        return spoil(correct.getLock(name, options));
    }

    /** The read/write lock that is handed out for a correct one. */
    protected DistributedReadWriteLock spoil(DistributedReadWriteLock lock) {
        return lock;
    }

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name) {
        return spoil(correct.getReadWriteLock(name));
    }

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name, LockOptions options) {
        return spoil(correct.getReadWriteLock(name, options));
    }

    @Override
    public List<ServerStatus> servers() {
        return correct.servers();
    }

    @Override
    public DistributedLock getLock(Collection<String> names) {
        return spoil(correct.getLock(names));
    }

    @Override
    public DistributedLock getLock(Collection<String> names, LockOptions options) {
        return spoil(correct.getLock(names, options));
    }

    @Override
    public void close() {
        correct.close();
    }

    @Override
    public String toString() {
        return correct.toString();
    }
}
