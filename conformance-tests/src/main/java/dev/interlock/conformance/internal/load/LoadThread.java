// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.load;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.load.Load.Style;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One thread of a {@link Load}. It records its calls. */
final class LoadThread {
    private static final int ROUNDS_BETWEEN_MEETINGS = 4;
    private static final long NAP_IN_OUTAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Load load;
    private final Recorder recorder;
    private final DistributedLockFactory factory;
    private final Random random;
    private final List<Style> styles;
    private final boolean renewed;
    private final String name;
    private final Actor actor;
    private String process;
    private int lives = 1;
    private final AtomicInteger grants = new AtomicInteger();
    private volatile boolean stopping;

    LoadThread(Load load, String name, DistributedLockFactory factory, int number) {
        this.load = load;
        this.recorder = load.recorder;
        this.factory = factory;
        this.random = new Random(number);
        this.styles = List.copyOf(load.styles);
        this.renewed = load.options.map(LockOptions::renewal).orElse(true);
        this.name = name;
        this.process = name;
        this.actor = load.virtual ? Actor.virtual(name) : Actor.platform(name);
    }

    Actor actor() {
        return actor;
    }

    int grants() {
        return grants.get();
    }

    void stop() {
        stopping = true;
    }

    /**
     * Runs the rounds. The threads meet at a barrier now and then, since on a busy machine each might otherwise run
     * alone.
     */
    void work(Phaser meeting) {
        try {
            for (int round = 0; round < load.rounds && !stopping; round++) {
                if (round % ROUNDS_BETWEEN_MEETINGS == 0) {
                    meeting.arriveAndAwaitAdvance();
                }
                while (!isAnswered() && !stopping) {
                    LockSupport.parkNanos(NAP_IN_OUTAGE_NANOS);
                }
                if (load.interrupting) {
                    // Otherwise every call of the interruptible styles would throw on entry.
                    Thread.interrupted();
                }
            }
        } finally {
            meeting.arriveAndDeregister();
        }
    }

    /** Asks for the lock once, and releases it if it was granted. Returns whether the backend answered. */
    private boolean isAnswered() {
        String lockName = load.names.get(random.nextInt(load.names.size()));
        DistributedLock lock =
                load.options.map(it -> factory.getLock(lockName, it)).orElseGet(() -> factory.getLock(lockName));
        recorder.invoke(process, Op.ACQUIRE, lock.name());
        Optional<Grant> grant;
        try {
            grant = ask(lock, styles.get(random.nextInt(styles.size())));
        } catch (InterruptedException e) {
            recorder.failed(process, Op.ACQUIRE, lock.name(), e);
            return true;
        } catch (LockBackendException e) {
            if (e.reason() == LockBackendException.Reason.OUTCOME_UNKNOWN) {
                recorder.unknown(process, Op.ACQUIRE, lock.name(), e);
                beginNewLife();
            } else {
                recorder.failed(process, Op.ACQUIRE, lock.name(), e);
            }
            return false;
        } catch (RuntimeException | Error e) {
            recorder.unknown(process, Op.ACQUIRE, lock.name(), e);
            throw e;
        }
        if (grant.isPresent()) {
            grants.incrementAndGet();
            hold(grant.get());
        } else {
            recorder.failed(process, Op.ACQUIRE, lock.name());
        }
        return true;
    }

    private Optional<Grant> ask(DistributedLock lock, Style style) throws InterruptedException {
        return switch (style) {
            case LOCK -> {
                lock.lock();
                yield Optional.of(new Grant(lock));
            }
            case LOCK_INTERRUPTIBLY -> {
                lock.lockInterruptibly();
                yield Optional.of(new Grant(lock));
            }
            case TRY_LOCK -> lock.tryLock() ? Optional.of(new Grant(lock)) : Optional.empty();
            case TIMED_TRY_LOCK ->
                lock.tryLock(part(load.patience), TimeUnit.NANOSECONDS)
                        ? Optional.of(new Grant(lock))
                        : Optional.empty();
            case ACQUIRE -> Optional.of(new Grant(lock, lock.acquire()));
            case TRY_ACQUIRE ->
                lock.tryAcquire(Duration.ofNanos(part(load.patience))).map(handle -> new Grant(lock, handle));
        };
    }

    private long part(Duration whole) {
        return (long) (random.nextDouble() * whole.toNanos());
    }

    private void hold(Grant grant) {
        grant.look();
        if (!renewed && !grant.isKnown()) {
            grant.giveUpUnseen();
            return;
        }
        grant.recordAcquired();
        dwell(grant);
        if (load.reentering && grant.isOfThread() && random.nextBoolean()) {
            reenter(grant);
        }
        grant.release();
    }

    /** Acquires the lock once more, and releases it once. */
    private void reenter(Grant grant) {
        recorder.invoke(process, Op.ACQUIRE, grant.lock.name());
        try {
            grant.lock.lock();
        } catch (LeaseLostException e) {
            recorder.failed(process, Op.ACQUIRE, grant.lock.name(), e);
            return;
        }
        Grant again = new Grant(grant.lock);
        again.look();
        if (!again.isKnown()) {
            // The lease ended before anybody could look at it, and so did the hold that was entered.
            recorder.failed(
                    process,
                    Op.ACQUIRE,
                    grant.lock.name(),
                    new LeaseLostException(grant.lock.name(), LossCause.EXPIRED));
            again.giveUpLost();
            return;
        }
        again.recordAcquired();
        dwell(again);
        again.release();
        dwell(grant);
    }

    private void dwell(Grant grant) {
        // Some bugs show in short holds, others in long ones.
        if (random.nextBoolean()) {
            LockSupport.parkNanos(part(load.hold));
        }
        grant.look();
    }

    /** Goes on under a new name in the history, since no later call depends on the one whose outcome is unknown. */
    private void beginNewLife() {
        lives++;
        process = name + "#" + lives;
    }

    /** A grant of a lock, to this thread or to a handle. */
    private final class Grant {
        final DistributedLock lock;
        private final @Nullable Lease lease;
        private final @Nullable LockHandle handle;
        private long seenNanos = System.nanoTime();
        private long validUntilNanos = seenNanos;

        Grant(DistributedLock lock) {
            this.lock = lock;
            this.lease = lock.lease().orElse(null);
            this.handle = null;
        }

        Grant(DistributedLock lock, LockHandle handle) {
            this.lock = lock;
            this.lease = handle;
            this.handle = handle;
        }

        boolean isOfThread() {
            return handle == null;
        }

        /** Returns whether the lease was still valid when {@link #look} saw it; a short lease may have ended before. */
        boolean isKnown() {
            return validUntilNanos - seenNanos > 0;
        }

        /** Releases a lock whose lease ended before {@link #look} saw it. */
        void giveUpUnseen() {
            LeaseLostException lost = new LeaseLostException(lock.name(), LossCause.EXPIRED);
            recorder.unknown(process, Op.ACQUIRE, lock.name(), lost);
            beginNewLife();
            giveUpLost();
        }

        /** Releases a lock whose lease has ended. */
        void giveUpLost() {
            try {
                giveUp();
            } catch (LeaseLostException e) {
                // Expected; other rules check where it is thrown.
            }
        }

        void recordAcquired() {
            look();
            OptionalLong valid = renewed ? OptionalLong.empty() : OptionalLong.of(validUntilNanos - seenNanos);
            recorder.acquired(seenNanos, process, lock.name(), fence(), valid);
        }

        /** Notes how long the lease is valid, in case it is lost. */
        void look() {
            long now = System.nanoTime();
            long remaining = lease == null ? 0 : lease.remaining().toNanos();
            if (remaining > 0) {
                seenNanos = now;
                validUntilNanos = now + remaining;
            }
        }

        void release() {
            recorder.invoke(process, Op.RELEASE, lock.name());
            try {
                giveUp();
                recorder.released(process, lock.name());
            } catch (LeaseLostException e) {
                recorder.failed(process, Op.RELEASE, lock.name(), e);
                boolean ranOut = validUntilNanos - System.nanoTime() <= 0;
                recorder.lost(ranOut ? validUntilNanos : seenNanos, process, lock.name(), fence());
            } catch (IllegalMonitorStateException e) {
                recorder.failed(process, Op.RELEASE, lock.name(), e);
            } catch (LockBackendException e) {
                recorder.unknown(process, Op.RELEASE, lock.name(), e);
            }
        }

        private void giveUp() {
            if (handle == null) {
                lock.unlock();
            } else {
                handle.close();
            }
        }

        private OptionalLong fence() {
            return lease == null ? OptionalLong.empty() : lease.fencingToken();
        }
    }
}
