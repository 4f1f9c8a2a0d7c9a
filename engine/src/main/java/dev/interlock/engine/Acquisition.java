// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One thread's way to a lock that it does not hold yet: through the local queue, then to the backend. Used by one thread, once. */
final class Acquisition {
    /** How long to go easy on a backend that fails; doubles with each failure up to the ceiling. */
    private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long waiters elsewhere get to hear of a release before the next one here tries. */
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How soon to ask again where nobody tells of a release; doubles with each refusal up to the ceiling. */
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LockEngine engine;
    private final Environment env;
    private final Cell cell;
    private final LockOptions options;
    private final Owner owner;
    private final Waiting waiting;
    private final boolean mayWait;

    /** The claim that was refused and keeps a place in the queue of the backend. */
    private @Nullable Claim place;

    Acquisition(LockEngine engine, Cell cell, LockOptions options, Owner owner, Waiting waiting) {
        this.engine = engine;
        this.env = engine.environment();
        this.cell = cell;
        this.options = options;
        this.owner = owner;
        this.waiting = waiting;
        this.mayWait = !waiting.isTimeOver();
    }

    /**
     * Acquires the lock.
     *
     * @return the tenure, or {@code null} if time ran out or an interrupt ended the wait, which the caller tells apart
     */
    @Nullable
    Tenure run() {
        Waiter waiter = null;
        cell.mutex.lock();
        try {
            engine.requireOpen();
            if (!cell.tryEngage()) {
                if (!mayWait) {
                    throwIfNobodyAnswers();
                    return null;
                }
                waiter = new Waiter(Thread.currentThread(), owner, options);
                cell.enqueue(waiter);
            }
        } finally {
            cell.mutex.unlock();
        }
        if (waiter == null) {
            // However short its time, whoever need not queue asks once.
            return contend(this::tryUntilOver);
        }
        return queue(waiter);
    }

    private @Nullable Tenure queue(Waiter waiter) {
        while (waiter.state == Waiter.State.QUEUED) {
            if (isOver()) {
                cell.mutex.lock();
                try {
                    if (cell.withdraw(waiter)) {
                        throwIfNobodyAnswers();
                        return null;
                    }
                } finally {
                    cell.mutex.unlock();
                }
            } else {
                waiting.park(cell, Long.MAX_VALUE);
            }
        }
        return switch (waiter.state) {
            case GRANTED -> Objects.requireNonNull(waiter.tenure);
            case FAILED -> throw asOurs(Objects.requireNonNull(waiter.failure));
            default -> contend(() -> takeTurn(waiter.yieldSince));
        };
    }

    /** Keeps a wait that ends in an outage from reporting the lock as taken; under the mutex. */
    private void throwIfNobodyAnswers() {
        LockBackendException outage = cell.outage();
        if (outage != null && !waiting.isEndedByInterrupt()) {
            throw asOurs(outage);
        }
    }

    /** A failure that another thread met gets a stack trace of this one. */
    private static RuntimeException asOurs(RuntimeException failure) {
        return failure instanceof LockBackendException backend
                ? new LockBackendException(backend.reason(), String.valueOf(backend.getMessage()), backend)
                : new IllegalStateException(failure.getMessage(), failure);
    }

    /** Deals with the backend; the cell is engaged to this thread, and is not any more when this returns or throws. */
    private @Nullable Tenure contend(Supplier<@Nullable Tenure> way) {
        Tenure tenure = null;
        cell.contender(Thread.currentThread());
        try {
            tenure = way.get();
            return tenure;
        } finally {
            if (tenure == null) {
                cell.mutex.lock();
                try {
                    cell.passOn(null);
                } finally {
                    cell.mutex.unlock();
                }
            }
        }
    }

    /** Contends after a wait in the queue, in which the time may have passed. */
    private @Nullable Tenure takeTurn(@Nullable Integer yieldSince) {
        if (yieldSince != null && !engine.protocol().queues()) {
            cell.openWatch(engine.protocol());
            awaitSignal(yieldSince, 1 + env.nextLong(YIELD_NANOS));
        }
        if (isOver()) {
            cell.mutex.lock();
            try {
                throwIfNobodyAnswers();
                return null;
            } finally {
                cell.mutex.unlock();
            }
        }
        return tryUntilOver();
    }

    private @Nullable Tenure tryUntilOver() {
        try {
            return tryAndWait();
        } finally {
            if (place != null) {
                waiting.takeInterrupt();
                engine.releases().withdraw(place);
                waiting.takeInterrupt();
            }
        }
    }

    private @Nullable Tenure tryAndWait() {
        int failures = 0;
        int refusals = 0;
        while (true) {
            int seen = cell.signals();
            Outcome outcome = tryOnce();
            waiting.takeInterrupt();
            if (outcome.tenure != null) {
                return outcome.tenure;
            }
            engine.requireOpen();
            if (outcome.failure == null) {
                failures = 0;
                refusals++;
            } else {
                failures++;
                giveUpIfHopeless(outcome.failure);
            }
            if (!mayWait) {
                return null;
            }
            cell.openWatch(engine.protocol());
            awaitSignal(seen, failures == 0 ? untilNextTry(outcome.retryAfter, refusals) : backoff(failures));
            engine.requireOpen();
            if (isOver()) {
                if (outcome.failure != null && !waiting.isEndedByInterrupt()) {
                    throw outcome.failure;
                }
                return null;
            }
        }
    }

    private boolean isOver() {
        return waiting.isTimeOver() || waiting.isEndedByInterrupt();
    }

    /** What came of one try: a tenure, a failure, or neither, which is a refusal. */
    private record Outcome(
            @Nullable Tenure tenure, @Nullable LockBackendException failure, Optional<Duration> retryAfter) {}

    private Outcome tryOnce() {
        Claim queued = place;
        Claim claim = queued == null ? engine.newClaim(cell.name, options, mayWait) : queued;
        place = null;
        Validity.Start start = Validity.Start.now(env);
        try {
            return settle(claim, queued != null, start, engine.protocol().attempt(claim));
        } catch (Throwable e) {
            engine.releases().afterUnknownOutcome(claim);
            throw e;
        }
    }

    private Outcome settle(Claim claim, boolean queued, Validity.Start start, Attempt attempt) {
        if (attempt instanceof Attempt.Granted granted) {
            return accept(claim, start.plus(granted.validity()), granted);
        }
        if (attempt instanceof Attempt.Failed failed) {
            if (failed.cause().reason() == Reason.OUTCOME_UNKNOWN) {
                engine.releases().afterUnknownOutcome(claim);
            } else if (queued) {
                engine.releases().withdrawLater(claim);
            }
            return new Outcome(null, failed.cause(), Optional.empty());
        }
        noteAnswer();
        if (mayWait && engine.protocol().queues()) {
            place = claim;
        }
        return new Outcome(null, null, ((Attempt.Refused) attempt).retryAfter());
    }

    private Outcome accept(Claim claim, Validity validity, Attempt.Granted granted) {
        // Read again after the answer: whoever stood still meanwhile must not take an old grant for a fresh one.
        if (validity.remainingNanos(env) == 0) {
            engine.releases().afterUnknownOutcome(claim);
            return new Outcome(
                    null,
                    new LockBackendException(
                            Reason.OUTCOME_UNKNOWN,
                            "lock \"" + cell.name + "\" was granted, but its lease of " + claim.lease()
                                    + " was over before the answer was here: the backend or this process is too slow for it"),
                    Optional.empty());
        }
        Tenure tenure = null;
        cell.mutex.lock();
        try {
            cell.answered(env.nanoTime());
            if (engine.isOpen()) {
                Grant grant = new Grant(cell, claim, validity, granted.firstFence());
                tenure = engine.tenures().begin(grant, owner, options);
            }
        } finally {
            cell.mutex.unlock();
        }
        if (tenure == null) {
            engine.releases().now(claim);
        }
        return new Outcome(tenure, null, Optional.empty());
    }

    private void noteAnswer() {
        cell.mutex.lock();
        try {
            cell.answered(env.nanoTime());
        } finally {
            cell.mutex.unlock();
        }
    }

    /**
     * Throws unless the failure may be ridden out: the backend has answered for this cell, no longer than a lease ago, and has
     * not said that the request is wrong. All who wait here and may not hope either are told too, and do not try one by one.
     */
    private void giveUpIfHopeless(LockBackendException failure) {
        cell.mutex.lock();
        try {
            cell.failed(failure);
            cell.failAll(failure, waiter -> isHopeless(failure, waiter.options));
            if (!mayWait || isHopeless(failure, options)) {
                throw failure;
            }
        } finally {
            cell.mutex.unlock();
        }
    }

    private boolean isHopeless(LockBackendException failure, LockOptions waiting) {
        return failure.reason() == Reason.REFUSED
                || !cell.hasAnsweredWithin(waiting.lease().toNanos());
    }

    /** Until the holder's lease ends if nothing happens, and no longer than the ceiling, spread over its last quarter. */
    private long untilNextTry(Optional<Duration> retryAfter, int refusals) {
        long ceiling = engine.waitCeilingNanos();
        if (!cell.isListening()) {
            ceiling = Math.min(ceiling, FIRST_POLL_NANOS << Math.min(refusals - 1, 20));
        }
        long spread = ceiling - env.nextLong(ceiling / 4 + 1);
        return retryAfter
                .filter(duration -> duration.compareTo(Duration.ofNanos(spread)) < 0)
                .map(duration -> Math.max(0, duration.toNanos()) + TimeUnit.MILLISECONDS.toNanos(1))
                .orElse(spread);
    }

    private long backoff(int failures) {
        long bound = Math.min(engine.waitCeilingNanos(), FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
        return bound / 2 + env.nextLong(bound / 2 + 1);
    }

    /** Waits until the cell is signalled, at most for a time. */
    private void awaitSignal(int seen, long nanos) {
        long until = env.nanoTime() + nanos;
        while (cell.signals() == seen && !isOver() && engine.isOpen()) {
            long left = until - env.nanoTime();
            if (left <= 0) {
                return;
            }
            waiting.park(cell, left);
        }
    }
}
