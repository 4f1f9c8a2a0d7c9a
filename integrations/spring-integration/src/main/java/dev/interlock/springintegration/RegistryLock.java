// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Adapts a lock of Interlock to the interface of Spring Integration.
 *
 * <p>Does not query the holder before an acquisition. A query delivers a pending loss; the acquisition would then begin
 * a new hold, which a leader initiator takes for a re-entry.
 */
final class RegistryLock implements DistributedLock {
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final String name;
    private final dev.interlock.DistributedLock lock;
    private final AtomicInteger acquiring = new AtomicInteger();
    private volatile long usedNanos = System.nanoTime();
    private volatile @Nullable Hold latest;

    /**
     * The latest hold of a thread.
     *
     * @param granted how long the lease was valid when it was granted
     */
    private record Hold(Lease lease, Duration granted) {}

    /** An acquisition. */
    private interface Attempt<E extends Exception> {
        boolean on(dev.interlock.DistributedLock lock) throws E;
    }

    RegistryLock(String name, dev.interlock.DistributedLock lock) {
        this.name = name;
        this.lock = lock;
    }

    @Override
    public void lock() {
        acquire(lock, null, view -> {
            view.lock();
            return true;
        });
    }

    @Override
    public void lock(Duration ttl) {
        acquire(lock.withLease(ttl), ttl, view -> {
            view.lock();
            return true;
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(lock, null, view -> {
            view.lockInterruptibly();
            return true;
        });
    }

    @Override
    public boolean tryLock() {
        return acquire(lock, null, dev.interlock.DistributedLock::tryLock);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(lock, null, view -> view.tryLock(time, unit));
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return acquire(
                lock.withLease(ttl),
                ttl,
                view -> view.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS));
    }

    private <E extends Exception> boolean acquire(
            dev.interlock.DistributedLock view, @Nullable Duration ttl, Attempt<E> attempt) throws E {
        acquiring.incrementAndGet();
        try {
            if (!attempt.on(view)) {
                return false;
            }
            recordHold(ttl);
            return true;
        } catch (LeaseLostException | LockBackendException e) {
            throw new CannotAcquireLockException("lock \"" + name + "\" was not acquired: " + e.getMessage(), e);
        } finally {
            acquiring.decrementAndGet();
        }
    }

    /** Records a new hold, or extends the lease after a re-entry. */
    private void recordHold(@Nullable Duration ttl) {
        touch();
        Lease lease = lock.lease().orElse(null);
        if (lease == null) {
            // This throws if the lock was lost.
            lock.unlock();
            throw new LockBackendException(
                    LockBackendException.Reason.OUTCOME_UNKNOWN, "it is unknown whether the lock is still held");
        }
        try {
            Hold hold = latest;
            if (hold == null || !hold.lease().isValid() || lock.getHoldCount() == 1) {
                latest = new Hold(lease, lease.remaining());
            } else if (ttl == null) {
                keepHalf(lease, hold.granted());
            } else {
                lease.ensureValid(ttl);
            }
        } catch (RuntimeException e) {
            undo(e);
            throw e;
        }
    }

    /**
     * Renews a lease of which less than half is left, as happens if renewal is off. A lease that cannot be renewed is
     * still valid.
     */
    private static void keepHalf(Lease lease, Duration granted) {
        try {
            lease.ensureValid(granted.dividedBy(2));
        } catch (LockBackendException e) {
            // The lease itself reports its end.
        } catch (IllegalStateException e) {
            // maxHold permits no longer lease; the present one stays valid.
        }
    }

    private void undo(RuntimeException failure) {
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            failure.addSuppressed(e);
        }
    }

    void renew() {
        renewBy(lease -> lease.remaining().plus(MOMENT));
    }

    void renew(Duration ttl) {
        renewBy(lease -> ttl);
    }

    private void renewBy(Function<Lease, Duration> wanted) {
        Lease lease = lock.lease()
                .orElseThrow(() -> new IllegalStateException(
                        "lock \"" + name + "\" cannot be renewed: the current thread does not hold it"));
        try {
            lease.ensureValid(wanted.apply(lease));
        } catch (LeaseLostException | LockBackendException e) {
            throw new IllegalStateException("lock \"" + name + "\" could not be renewed: " + e.getMessage(), e);
        }
    }

    @Override
    public void unlock() {
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            throw new ConcurrentModificationException(
                    "lock \"" + name
                            + "\" was lost before it was released, and what it protects may have been changed by"
                            + " others: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    void touch() {
        usedNanos = System.nanoTime();
    }

    long idleNanos() {
        return System.nanoTime() - usedNanos;
    }

    /** Returns whether a thread of this process holds the lock or waits for it. */
    boolean isInUse() {
        Hold hold = latest;
        return acquiring.get() > 0 || (hold != null && hold.lease().isValid());
    }

    @Override
    public String toString() {
        return "InterlockLock[" + name + "]";
    }
}
