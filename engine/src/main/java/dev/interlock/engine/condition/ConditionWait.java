// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.ConditionProtocol.Place;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One wait of one thread for a condition: gives the lock up, waits until the backend tells of a signal, or until its
 * time, an interrupt or the end of the factory, and acquires the lock again. Used by that thread, except for
 * {@link #wake}.
 *
 * <p>A waiter that leaves asks the backend, in one step, to end the wait unless it was signalled. The answer decides
 * whether the signal came first, or the time-out or interrupt.
 */
final class ConditionWait {
    private static final QuietLog LOG = QuietLog.of(ConditionWait.class);

    private final LockConditions conditions;
    private final ConditionProtocol protocol;
    private final Environment env;
    private final EngineCondition condition;
    private final Wait wait;
    private final Thread thread = Thread.currentThread();

    /** Set when the waiter may have been signalled, so that the thread asks the backend. */
    private volatile boolean stirred;

    ConditionWait(LockConditions conditions, EngineCondition condition, Wait wait) {
        this.conditions = conditions;
        this.protocol = conditions.protocol();
        this.env = conditions.environment();
        this.condition = condition;
        this.wait = wait;
    }

    /** Wakes the thread, which then asks the backend where it stands. */
    void wake() {
        stirred = true;
        env.unpark(thread);
    }

    /** Waits; returns {@code false} if the time has ended the wait. */
    boolean await() throws InterruptedException {
        Claim waiter = condition.newWaiter();
        Watch watch = protocol.listen(waiter, this::wake);
        try {
            awaitListening(watch, waiter.timeout());
            stirred = false;
            wait.takeInterrupt();
            try (Departure departure = leaveLock(waiter)) {
                return await(waiter, departure);
            }
        } finally {
            watch.close();
        }
    }

    /**
     * A signal passes over a waiter that does not listen yet. A time-out and a backend that does not answer end this
     * wait too.
     */
    private void awaitListening(Watch watch, Duration timeout) {
        long startNanos = env.nanoTime();
        while (!watch.isListening() && !wait.isOver() && conditions.isOpen()) {
            long left = timeout.toNanos() - (env.nanoTime() - startNanos);
            if (left <= 0) {
                return;
            }
            wait.park(condition, left);
        }
    }

    private Departure leaveLock(Claim waiter) {
        try {
            return condition.lock().leave(waiter);
        } catch (Throwable e) {
            // The backend may keep the waiter although the thread does not wait.
            quietly(() -> protocol.leave(waiter, true), waiter);
            throw e;
        }
    }

    private boolean await(Claim waiter, Departure departure) throws InterruptedException {
        LockBackendException failure = departure.failure();
        Place place = Place.WAITING;
        boolean over = false;
        boolean interrupted = false;
        try {
            if (failure == null) {
                place = awaitSignal(waiter, departure);
            } else if (failure.reason() == Reason.REFUSED) {
                quietly(() -> protocol.leave(waiter, true), waiter);
            } else if (leave(waiter, departure) == Place.SIGNALLED) {
                place = Place.SIGNALLED;
            }
            over = place != Place.SIGNALLED && wait.isOver();
            // Read before the lock is acquired again: a later interrupt does not end the wait, and only sets the
            // status.
            interrupted = over && wait.isEndedByInterrupt();
            Claim held = departure.comeBack(place == Place.SIGNALLED ? waiter : null);
            if (place == Place.SIGNALLED && !held.token().equals(waiter.token())) {
                departure.keepSignal(waiter);
                quietly(() -> protocol.adopt(held, waiter), waiter);
            }
        } catch (LockBackendException e) {
            departure.stayAway(LossCause.UNREACHABLE);
            condition.lock().leaveLater(waiter);
            throw e;
        } catch (IllegalStateException e) {
            quietly(
                    () -> {
                        if (protocol.leave(waiter, true) == Place.SIGNALLED) {
                            departure.giveBack(waiter);
                        }
                    },
                    waiter);
            departure.stayAway(LossCause.FACTORY_CLOSED);
            throw e;
        }
        if (failure != null && failure.reason() == Reason.REFUSED) {
            throw failure;
        }
        if (interrupted) {
            wait.takeInterrupt();
            wait.throwIfInterrupted();
        }
        return !over;
    }

    /** Waits until the waiter was signalled, has left or is not known any more. */
    private Place awaitSignal(Claim waiter, Departure departure) {
        long lookNanos = env.nanoTime() + conditions.untilLook(false);
        while (!protocol.isTold(waiter)) {
            conditions.requireOpen(waiter.name());
            if (wait.isOver()) {
                return leave(waiter, departure);
            }
            long now = env.nanoTime();
            if (stirred || now - lookNanos >= 0) {
                stirred = false;
                Place place = ask(() -> protocol.look(waiter), departure);
                if (place != null && place != Place.WAITING) {
                    return place;
                }
                lookNanos = env.nanoTime() + conditions.untilLook(place == null);
            } else {
                wait.park(condition, lookNanos - now);
            }
        }
        return Place.SIGNALLED;
    }

    /**
     * Ends the wait unless it was signalled. Nothing else can be done before the backend has said which of the two it
     * is.
     */
    private Place leave(Claim waiter, Departure departure) {
        Wait patience = Wait.uninterruptibly(env);
        while (true) {
            Place place = ask(() -> protocol.leave(waiter, false), departure);
            if (place != null) {
                return place;
            }
            conditions.requireOpen(waiter.name());
            long untilNanos = env.nanoTime() + conditions.untilLook(true);
            long left = untilNanos - env.nanoTime();
            while (left > 0 && conditions.isOpen()) {
                patience.park(condition, left);
                left = untilNanos - env.nanoTime();
            }
            patience.end();
            wait.takeInterrupt();
        }
    }

    /** Asks the backend; returns {@code null} if it does not answer and the wait may go on. */
    private @Nullable Place ask(Supplier<Place> request, Departure departure) {
        wait.takeInterrupt();
        try {
            Place place = request.get();
            departure.answered();
            return place;
        } catch (LockBackendException e) {
            if (departure.isHopeless(e)) {
                throw e;
            }
            return null;
        } finally {
            wait.takeInterrupt();
        }
    }

    /** Makes a request that ends the wait of a waiter. If it fails, it is repeated in the background. */
    private void quietly(Runnable request, Claim waiter) {
        wait.takeInterrupt();
        try {
            request.run();
        } catch (LockBackendException e) {
            LOG.log(System.Logger.Level.DEBUG, "a waiter of " + condition + " leaves in the background", e);
            condition.lock().leaveLater(waiter);
        }
    }
}
