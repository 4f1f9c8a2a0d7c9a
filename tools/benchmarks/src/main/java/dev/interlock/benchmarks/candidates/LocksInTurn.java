// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Several locks as one: acquired one after the other and released in the opposite order, as a program without locks
 * over several names does.
 */
public final class LocksInTurn implements Lock {
    private final List<Lock> locks;

    public LocksInTurn(List<Lock> locks) {
        this.locks = List.copyOf(locks);
    }

    @Override
    public void lock() {
        locks.forEach(Lock::lock);
    }

    @Override
    public void unlock() {
        for (int i = locks.size() - 1; i >= 0; i--) {
            locks.get(i).unlock();
        }
    }

    @Override
    public void lockInterruptibly() {
        throw notMeasured();
    }

    @Override
    public boolean tryLock() {
        throw notMeasured();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        throw notMeasured();
    }

    @Override
    public Condition newCondition() {
        throw notMeasured();
    }

    private static UnsupportedOperationException notMeasured() {
        return new UnsupportedOperationException("only lock() and unlock() are measured");
    }
}
