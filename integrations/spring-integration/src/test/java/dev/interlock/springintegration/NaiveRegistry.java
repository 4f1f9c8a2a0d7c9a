// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * An adapter as one would write it in a hurry: it asks whether the current thread holds the lock before it acquires or
 * releases it. That answer is how a thread learns of a loss, and this adapter does nothing about it.
 */
record NaiveRegistry(DistributedLockFactory factory, LockOptions options) implements LockRegistry<Lock> {
    @Override
    public Lock obtain(Object lockKey) {
        return new NaiveLock(factory.getLock("orders:" + lockKey, options));
    }

    private record NaiveLock(DistributedLock held) implements Lock {
        @Override
        public void lock() {
            held.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            held.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return held.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            if (held.isHeldByCurrentThread()) {
                return held.tryLock();
            }
            return held.tryLock(time, unit);
        }

        @Override
        public void unlock() {
            if (held.isHeldByCurrentThread()) {
                held.unlock();
            }
        }

        @Override
        public Condition newCondition() {
            return held.newCondition();
        }
    }
}
