// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock of ours, in the shape of the others; its lease is renewed. */
final class OurPeer implements Peer {
    private final DistributedLockFactory factory;
    private @Nullable DistributedLock held;

    OurPeer(DistributedLockFactory factory) {
        this.factory = factory;
    }

    private DistributedLock lockOf(Duration lease) {
        return factory.getLock(PeerWire.NAME, LockOptions.builder().lease(lease).build());
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        DistributedLock lock = lockOf(lease);
        try {
            if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        held = lock;
        return true;
    }

    @Override
    public void lock(Duration lease) {
        held = lockOf(lease);
        held.lock();
    }

    @Override
    public boolean release() {
        try {
            Objects.requireNonNull(held).unlock();
            return true;
        } catch (LeaseLostException e) {
            return false;
        }
    }

    /** A lease is always valid for a little less than its time, so that this asks the server. */
    @Override
    public boolean extend(Duration lease) {
        Lease mine = Objects.requireNonNull(held).lease().orElseThrow();
        try {
            mine.ensureValid(lease);
            return true;
        } catch (LeaseLostException e) {
            return false;
        } catch (LockBackendException e) {
            // It was extended, and a busy machine took a part of that time to hear of it.
            return mine.isValid();
        }
    }

    @Override
    public void close() {
        factory.close();
    }
}
