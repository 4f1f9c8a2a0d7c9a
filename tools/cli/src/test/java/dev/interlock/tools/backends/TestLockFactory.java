// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/** Makes locks that can do no more than {@code lock} and {@code unlock}, by trying a door again and again. */
record TestLockFactory(String strategy, StrategyProfile profile, Door door) implements DistributedLockFactory {
    private static final long RETRY_NANOS = 200_000;

    /** Who lets in and out. */
    interface Door {
        boolean enter(String name);

        default void leave(String name) {}

        default void close() {}
    }

    @Override
    public DistributedLock getLock(String name) {
        return new TestLock(name, door);
    }

    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        return getLock(name);
    }

    @Override
    public void close() {
        door.close();
    }

    private record TestLock(String name, Door door) implements DistributedLock {
        @Override
        public void lock() {
            while (!door.enter(name)) {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }

        @Override
        public void unlock() {
            door.leave(name);
        }

        @Override
        public void lockInterruptibly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean tryLock() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Condition condition(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LockHandle acquire() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<LockHandle> tryAcquire() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DistributedLock withLease(Duration lease) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isLocked() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isHeldByCurrentThread() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int getHoldCount() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Lease> lease() {
            throw new UnsupportedOperationException();
        }
    }
}
