// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.Renewal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The holds of a factory: queries about them, re-entry, and their end when the factory closes. Safe to use from any
 * thread.
 */
final class Holds {
    private static final QuietLog LOG = QuietLog.of(Holds.class);

    private final Environment env;
    private final LeaseProtocol protocol;
    private final CellTable cells;
    private final Renewals renewals;
    private final Losses losses;
    private final LostHolds lostHolds;

    Holds(
            Environment env,
            LeaseProtocol protocol,
            CellTable cells,
            Renewals renewals,
            Losses losses,
            LostHolds lostHolds) {
        this.env = env;
        this.protocol = protocol;
        this.cells = cells;
        this.renewals = renewals;
        this.losses = losses;
        this.lostHolds = lostHolds;
    }

    /** Returns the hold of the current thread, if it has one that is not over. */
    @Nullable
    Hold current(String name) {
        Cell cell = cells.find(name);
        Hold hold = cell == null ? null : cell.holder();
        if (hold == null || !hold.isOwnedBy(Thread.currentThread())) {
            return null;
        }
        losses.expireIfOver(hold.grant);
        return hold.state == Hold.State.HELD ? hold : null;
    }

    /** Returns the owner token under which the current thread holds a lock. */
    Optional<String> currentToken(String name) {
        return Optional.ofNullable(current(name)).map(hold -> hold.grant.claim.token());
    }

    /** Returns the count of the current thread's hold, even if it is over. Has no effect. */
    int lastCount(String name) {
        Cell cell = cells.find(name);
        Hold hold = cell == null ? null : cell.holder();
        return hold != null && hold.isOwnedBy(Thread.currentThread()) ? hold.count : 0;
    }

    /** As {@link #current}; if there is no hold, a thread that lost the lock counts as told of the loss. */
    @Nullable
    Hold currentOrTell(String name) {
        Hold hold = current(name);
        if (hold == null) {
            lostHolds.tell(Thread.currentThread(), name);
        }
        return hold;
    }

    /**
     * Returns whether the current thread holds the lock. Asks the backend only if the wall clock casts doubt on the
     * lease.
     */
    boolean isHeldByCurrentThread(String name) {
        Hold hold = currentOrTell(name);
        return hold != null && isBeyondDoubt(hold) && currentOrTell(name) != null;
    }

    /** Returns whether both clocks say that a hold is valid, or the backend confirms it. */
    boolean isBeyondDoubt(Hold hold) {
        return !hold.grant.isDoubted(env) || renewals.confirmNow(hold) instanceof Renewal.Renewed;
    }

    /** Returns the hold of the current thread, or throws if it has none. */
    Hold require(String name) {
        Hold hold = current(name);
        if (hold != null) {
            return hold;
        }
        LossCause cause = lostHolds.tellAgain(Thread.currentThread(), name);
        throw cause != null
                ? new LeaseLostException(name, cause)
                : new IllegalMonitorStateException(
                        "the current thread does not hold lock \"" + name + "\", whose condition it wants to use");
    }

    /** Throws if the current thread lost the lock and was not told. */
    void throwIfLost(String name) {
        LossCause cause = lostHolds.tell(Thread.currentThread(), name);
        if (cause != null) {
            throw new LeaseLostException(LockSide.lockName(name), cause);
        }
    }

    /**
     * Adds to the count of a hold, for the owner or for a lock over several names; asks the backend first where that is
     * {@linkplain #confirmIfDue due}.
     *
     * @return {@code false} if the hold is over
     * @throws LockBackendException if the wall clock casts doubt on the hold, and the backend does not answer
     */
    boolean reenter(Hold hold, @Nullable SeveralHold whole) {
        confirmIfDue(hold);
        if (!hold.grant.cell.reenter(hold, whole)) {
            return false;
        }
        tellCount(hold);
        return true;
    }

    /**
     * Asks the backend about a hold, unless it has confirmed the hold within a renewal period and after the last
     * failover.
     *
     * @throws LockBackendException if the wall clock casts doubt on the hold, and the backend does not answer
     */
    void confirmIfDue(Hold hold) {
        if (hold.grant.isBeforeTakeover() || !hold.grant.isConfirmed(env, hold.options)) {
            Renewal outcome = renewals.confirmNow(hold);
            if (outcome instanceof Renewal.Failed failed
                    && hold.state == Hold.State.HELD
                    && hold.grant.isDoubted(env)) {
                throw failed.cause();
            }
        }
        losses.expireIfOver(hold.grant);
    }

    /** Tells the strategy how often the current thread holds the lock. */
    void tellCount(Hold hold) {
        if (hold.owner == null) {
            return;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            protocol.holdsChanged(hold.grant.claim, hold.count);
        } catch (Throwable e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the hold count of lock \"" + hold.lockName() + "\" was not published",
                    e);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Returns whether the hold that a wait ended with may be returned to its owner, because it is not lost already.
     *
     * @param count how often the owner holds the lock from now on
     */
    boolean isReturned(Hold hold, int count, @Nullable SeveralHold whole) {
        if (hold.owner != null) {
            // Earlier losses were told before; losses from here on are new.
            lostHolds.forget(hold.owner, hold.grant.cell.name);
        }
        if (hold.grant.cell.hasReturned(hold, count, whole)) {
            return true;
        }
        losses.expireIfOver(hold.grant);
        return false;
    }

    /** Lets all holds end with their leases. Returns the time at which the last one is over. */
    long drop() {
        long untilNanos = env.nanoTime();
        for (Cell cell : cells.all()) {
            Hold hold = cell.holder();
            if (hold != null) {
                hold.dropped = true;
                long deadlineNanos = hold.grant.deadlineNanos();
                untilNanos = deadlineNanos - untilNanos > 0 ? deadlineNanos : untilNanos;
            }
        }
        return untilNanos;
    }

    /** Ends all holds, and returns the claims to release. */
    List<Claim> loseAll(LossCause cause) {
        return cells.all().stream()
                .map(Cell::holder)
                .filter(Objects::nonNull)
                .map(hold -> {
                    losses.lose(hold.grant, cause);
                    // Whoever was woken by a signal may not have done what it was woken for.
                    return hold.grant.claim.withHeld(false);
                })
                .toList();
    }
}
