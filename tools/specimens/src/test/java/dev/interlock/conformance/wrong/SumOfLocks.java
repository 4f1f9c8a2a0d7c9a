// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockOptions;
import dev.interlock.specimens.ForwardingLock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock over several names as it is easily written over the locks of single names: a thread holds it if it holds each
 * of them. Its handles and stages are those of a correct lock.
 */
final class SumOfLocks extends ForwardingLock {
    /** A further defect of the lock. */
    enum Flaw {
        /** The locks are taken in the order in which the names were given. */
        UNORDERED,
        /** The locks that were taken are kept when a later one is refused. */
        KEEPS_AT_REFUSAL,
        /** The locks that were taken are kept when a later one fails for any other reason. */
        KEEPS_AT_FAILURE,
        /** Each lock may be waited for as long as the whole. */
        TIME_FOR_EACH,
        /** Only the lock of the first name is renewed. */
        RENEWS_THE_FIRST,
        /** All holds of each lock are given up. */
        UNLOCKS_ALL_HOLDS
    }

    /** One way to acquire the lock of one name. */
    private interface Taking {
        boolean take(DistributedLock lock) throws InterruptedException;
    }

    private final List<DistributedLock> parts = new ArrayList<>();
    private final Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);

    SumOfLocks(DistributedLockFactory correct, Collection<String> names, LockOptions options, Set<Flaw> flaws) {
        super(correct.getLock(names, options));
        this.flaws.addAll(flaws);
        Collection<String> order = flaws.contains(Flaw.UNORDERED) ? names : names();
        for (String name : order) {
            boolean renews = parts.isEmpty() || !flaws.contains(Flaw.RENEWS_THE_FIRST);
            parts.add(correct.getLock(
                    name, renews ? options : options.toBuilder().renewal(false).build()));
        }
    }

    private boolean takeAll(Taking taking) throws InterruptedException {
        List<DistributedLock> taken = new ArrayList<>();
        boolean kept = false;
        try {
            for (DistributedLock part : parts) {
                if (!taking.take(part)) {
                    kept = flaws.contains(Flaw.KEEPS_AT_REFUSAL);
                    return false;
                }
                taken.add(part);
                // So that others surely come between where the order matters.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(flaws.contains(Flaw.UNORDERED) ? 20 : 1));
            }
            kept = true;
            return true;
        } finally {
            if (!kept && !(flaws.contains(Flaw.KEEPS_AT_FAILURE))) {
                taken.forEach(DistributedLock::unlock);
            }
        }
    }

    @Override
    public void lock() {
        try {
            takeAll(part -> {
                part.lock();
                return true;
            });
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        takeAll(part -> {
            part.lockInterruptibly();
            return true;
        });
    }

    @Override
    public boolean tryLock() {
        try {
            return takeAll(DistributedLock::tryLock);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long until = System.nanoTime() + unit.toNanos(time);
        return takeAll(part -> part.tryLock(
                flaws.contains(Flaw.TIME_FOR_EACH) ? unit.toNanos(time) : until - System.nanoTime(),
                TimeUnit.NANOSECONDS));
    }

    @Override
    public void unlock() {
        for (DistributedLock part : parts) {
            part.unlock();
            while (flaws.contains(Flaw.UNLOCKS_ALL_HOLDS) && part.isHeldByCurrentThread()) {
                part.unlock();
            }
        }
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    @Override
    public int getHoldCount() {
        return parts.stream().mapToInt(DistributedLock::getHoldCount).min().orElse(0);
    }

    @Override
    public Optional<Lease> lease() {
        return parts.get(0).lease();
    }
}
