// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The hold of a thread that only acquires, waits and releases. In rules that mix threads and handles it stands for a
 * handle, which a plain lock does not have.
 */
final class CarriedHold implements LockHandle {
    private final PlainLock lock;
    private final FutureTask<Boolean> acquisition;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final FutureTask<@Nullable Void> release;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread carrier;

    private CarriedHold(PlainLock lock, Callable<Boolean> acquisition) {
        this.lock = lock;
        this.acquisition = new FutureTask<>(acquisition);
        this.release = new FutureTask<>(lock::unlock, null);
        this.carrier = new Thread(this::carry, "carrier of a hold of " + lock.name());
        carrier.setDaemon(true);
    }

    /** Makes a new thread acquire the lock, and passes an interrupt of the caller on to that thread. */
    static Optional<LockHandle> acquire(PlainLock lock, Callable<Boolean> acquisition) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        CarriedHold hold = new CarriedHold(lock, acquisition);
        hold.carrier.start();
        try {
            return hold.acquired() ? Optional.of(hold) : Optional.empty();
        } catch (InterruptedException e) {
            hold.giveUp();
            throw e;
        }
    }

    private void carry() {
        acquisition.run();
        try {
            if (!acquired()) {
                return;
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            // The caller gets the exception.
            return;
        }
        while (!release.isDone()) {
            try {
                closing.await();
                release.run();
            } catch (InterruptedException e) {
                // The interrupt came too late to end the acquisition; the caller gives the hold back.
            }
        }
    }

    private boolean acquired() throws InterruptedException {
        try {
            return acquisition.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw new InterruptedException();
            }
            throw unchecked(e);
        }
    }

    private static RuntimeException unchecked(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
    }

    /** Ends an acquisition whose caller was interrupted, and waits for its end, so that no hold is left behind. */
    private void giveUp() {
        carrier.interrupt();
        closing.countDown();
        boolean interrupted = false;
        while (true) {
            try {
                carrier.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String lockName() {
        return lock.name();
    }

    @Override
    public OptionalLong fencingToken() {
        return OptionalLong.empty();
    }

    @Override
    public boolean isValid() {
        return !closed.get();
    }

    /** A plain lock is held for as long as it is not unlocked. */
    @Override
    public Duration remaining() {
        return isValid() ? Duration.ofNanos(Long.MAX_VALUE) : Duration.ZERO;
    }

    @Override
    public void ensureValid(Duration atLeast) {
        if (!isValid()) {
            throw new IllegalStateException("the hold of " + lock.name() + " was given back");
        }
    }

    @Override
    public Registration onLoss(Consumer<? super LossCause> action) {
        // A plain lock has no lease, and so no loss to report.
        return () -> {};
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        closing.countDown();
        boolean interrupted = false;
        try {
            while (!released()) {
                interrupted = true;
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the release. Returns false if an interrupt ended the wait. */
    private boolean released() {
        try {
            release.get();
            return true;
        } catch (InterruptedException e) {
            return false;
        } catch (ExecutionException e) {
            throw unchecked(e);
        }
    }
}
