// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock of another library in the form in which the tools use locks: to lock, to unlock, and to look whether it is
 * still held. A failure of the library becomes a {@link LockBackendException}, after which it is not known whether the
 * lock is held.
 */
final class PeerLock implements DistributedLock {
    private final PeerFactory factory;
    private final String name;
    private final Duration lease;

    @SuppressWarnings("ThreadLocalUsage") // Each lock object has holders of its own.
    private final ThreadLocal<@Nullable Grant> grant = new ThreadLocal<>();

    private volatile @Nullable Lock lock;

    PeerLock(PeerFactory factory, String name, Duration lease) {
        this.factory = factory;
        this.name = name;
        this.lease = lease;
    }

    @Override
    public String name() {
        return name;
    }

    private Lock delegate() {
        Lock known = lock;
        if (known == null) {
            known = factory.client().lock(name);
            lock = known;
        }
        return known;
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry") // The caller unlocks.
    public void lock() {
        try {
            grant.set(new Grant(factory.client().acquire(delegate())));
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry")
    public void lockInterruptibly() throws InterruptedException {
        delegate().lockInterruptibly();
        grant.set(new Grant(OptionalLong.empty()));
    }

    @Override
    public boolean tryLock() {
        return granted(delegate().tryLock());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return granted(delegate().tryLock(time, unit));
    }

    private boolean granted(boolean locked) {
        if (locked) {
            grant.set(new Grant(OptionalLong.empty()));
        }
        return locked;
    }

    @Override
    public void unlock() {
        Grant ended = grant.get();
        grant.remove();
        if (ended != null) {
            ended.lost = true;
        }
        PeerClient client = factory.client();
        try {
            delegate().unlock();
        } catch (IllegalMonitorStateException e) {
            throw e;
        } catch (RuntimeException e) {
            if (client.tellsOfLoss(e)) {
                IllegalMonitorStateException loss = new IllegalMonitorStateException(e.getMessage());
                loss.initCause(e);
                throw loss;
            }
            throw failed(e);
        }
    }

    private LockBackendException failed(RuntimeException e) {
        return new LockBackendException(
                LockBackendException.Reason.OUTCOME_UNKNOWN, factory.strategy() + ": " + e.getMessage(), e);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return lease().filter(Lease::isValid).isPresent();
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(grant.get());
    }

    @Override
    public Condition newCondition() {
        return delegate().newCondition();
    }

    @Override
    public Condition condition(String condition) {
        throw beyond();
    }

    @Override
    public LockHandle acquire() {
        throw beyond();
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        throw beyond();
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) {
        throw beyond();
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        throw beyond();
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        throw beyond();
    }

    @Override
    public DistributedLock withLease(Duration other) {
        throw beyond();
    }

    @Override
    public boolean isLocked() {
        throw beyond();
    }

    @Override
    public int getHoldCount() {
        throw beyond();
    }

    private UnsupportedOperationException beyond() {
        return new UnsupportedOperationException("the tools use no more of " + factory.strategy() + " than Lock has");
    }

    /** The state of a lock that was granted: it counts as held until its holder looks and sees that it is not. */
    private final class Grant implements Lease {
        private final OptionalLong token;
        private final List<Consumer<? super LossCause>> listeners = new CopyOnWriteArrayList<>();
        private volatile long confirmedNanos = System.nanoTime();
        private volatile boolean lost;

        Grant(OptionalLong token) {
            this.token = token;
        }

        @Override
        public String lockName() {
            return name;
        }

        @Override
        public OptionalLong fencingToken() {
            return token;
        }

        /** A holder that cannot find out does not rely on it. */
        @Override
        public boolean isValid() {
            if (lost) {
                return false;
            }
            try {
                if (factory.client().isHeld(name, delegate())) {
                    confirmedNanos = System.nanoTime();
                    return true;
                }
            } catch (RuntimeException e) {
                // An unknown state counts as lost.
            }
            lost = true;
            listeners.forEach(listener -> listener.accept(LossCause.GONE));
            return false;
        }

        /** The libraries do not report renewals. Only a lease from the last answer on is certain. */
        @Override
        public Duration remaining() {
            long left = lease.toNanos() - (System.nanoTime() - confirmedNanos);
            return lost || left < 0 ? Duration.ZERO : Duration.ofNanos(left);
        }

        @Override
        public void ensureValid(Duration atLeast) {
            throw beyond();
        }

        @Override
        public Registration onLoss(Consumer<? super LossCause> action) {
            // None of these libraries tells of a loss; the holder learns of it when it looks.
            listeners.add(action);
            return () -> listeners.remove(action);
        }
    }
}
