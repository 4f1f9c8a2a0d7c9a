// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.spi.StrategyProfile;

/** Passes everything on; subclasses spoil a part, usually {@link #spoil}. */
public class ForwardingFactory implements DistributedLockFactory {
    protected final DistributedLockFactory correct;

    public ForwardingFactory(DistributedLockFactory correct) {
        this.correct = correct;
    }

    /** The lock that is handed out for a correct one. */
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

    @Override
    public void close() {
        correct.close();
    }

    @Override
    public String toString() {
        return correct.toString();
    }
}
