// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.StrategyProfile;

/** Passes everything on; subclasses spoil a part, usually {@link #spoil}. */
class ForwardingFactory implements DistributedLockFactory {
    final DistributedLockFactory correct;

    ForwardingFactory(DistributedLockFactory correct) {
        this.correct = correct;
    }

    /** The lock that is handed out for a correct one. */
    DistributedLock spoil(DistributedLock lock) {
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
