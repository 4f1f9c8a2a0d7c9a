// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** The least code that turns ShedLock into a {@link Lock}: a thread that owns the hold, and a loop that waits. */
final class ShedLockLock implements Lock {
    static final Duration PAUSE = Duration.ofMillis(20);

    private final Holds holds;
    private final String name;

    ShedLockLock(Holds holds, String name) {
        this.holds = holds;
        this.name = name;
    }

    /** The holds of one client, by the names of their locks. */
    static final class Holds {
        private final LockProvider provider;
        private final Duration lease;
        private final Map<String, Hold> held = new ConcurrentHashMap<>();

        private record Hold(Thread owner, SimpleLock lock) {}

        Holds(LockProvider provider, Duration lease) {
            this.provider = provider;
            this.lease = lease;
        }

        static LockConfiguration terms(String name, Duration lease) {
            return new LockConfiguration(Instant.now(), name, lease, Duration.ZERO);
        }

        /** Acquires a lock that nobody has, and keeps no account of it. */
        SimpleLock bare(String name) {
            return provider.lock(terms(name, lease))
                    .orElseThrow(() -> new IllegalStateException(name + " is held by somebody else"));
        }

        private boolean tryLock(String name) {
            Optional<SimpleLock> lock = provider.lock(terms(name, lease));
            lock.ifPresent(granted -> held.put(name, new Hold(Thread.currentThread(), granted)));
            return lock.isPresent();
        }

        @SuppressWarnings("ReferenceEquality") // A thread may be equal to another.
        private Hold ofCurrentThread(String name) {
            Hold hold = held.get(name);
            if (hold == null || hold.owner != Thread.currentThread()) {
                throw new IllegalMonitorStateException("the current thread does not hold " + name);
            }
            return hold;
        }

        private void unlock(String name) {
            Hold hold = ofCurrentThread(name);
            held.remove(name, hold);
            hold.lock.unlock();
        }

        /** Extends the current thread's hold by another lease, and returns whether there was one. */
        boolean extend(String name, Duration atLeast) {
            Hold hold = ofCurrentThread(name);
            Optional<SimpleLock> longer = hold.lock.extend(lease, atLeast);
            longer.ifPresentOrElse(
                    lock -> held.replace(name, hold, new Hold(hold.owner, lock)), () -> held.remove(name, hold));
            return longer.isPresent();
        }
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        while (!holds.tryLock(name)) {
            try {
                TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        while (!holds.tryLock(name)) {
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        }
    }

    @Override
    public boolean tryLock() {
        return holds.tryLock(name);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long limit = unit.toNanos(time);
        long from = System.nanoTime();
        while (!holds.tryLock(name)) {
            long left = limit - (System.nanoTime() - from);
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(left, PAUSE.toNanos()));
        }
        return true;
    }

    @Override
    public void unlock() {
        holds.unlock(name);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("ShedLock has no conditions");
    }
}
