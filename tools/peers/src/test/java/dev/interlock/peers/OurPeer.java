// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A lock of ours, in the shape of the others; its lease is that of its factory, and is renewed. */
final class OurPeer implements Peer {
    private final DistributedLockFactory factory;
    private final DistributedLock lock;

    OurPeer(DistributedLockFactory factory) {
        this.factory = factory;
        this.lock = factory.getLock(Wire.NAME);
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        try {
            return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void lock(Duration lease) {
        lock.lock();
    }

    @Override
    public boolean release() {
        try {
            lock.unlock();
            return true;
        } catch (LeaseLostException e) {
            return false;
        }
    }

    @Override
    public boolean extend(Duration lease) {
        return lock.lease().orElseThrow().isValid();
    }

    @Override
    public void close() {
        factory.close();
    }
}
