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
import dev.interlock.engine.protocol.Renewal;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is held here: asked about, entered again, and ended with the factory. Safe to use from any thread. */
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

    /** Returns the count of the current thread's hold without looking whether it is over, so without any effect. */
    int lastCount(String name) {
        Cell cell = cells.find(name);
        Hold hold = cell == null ? null : cell.holder();
        return hold != null && hold.isOwnedBy(Thread.currentThread()) ? hold.count : 0;
    }

    /** As {@link #current}, and where the answer is none, a thread that lost the lock counts as told. */
    @Nullable
    Hold currentOrTell(String name) {
        Hold hold = current(name);
        if (hold == null) {
            lostHolds.tell(Thread.currentThread(), name);
        }
        return hold;
    }

    /** Whether the current thread holds the lock. Asks the backend only if the wall clock casts doubt on the lease. */
    boolean isHeldByCurrentThread(String name) {
        Hold hold = currentOrTell(name);
        if (hold == null || !hold.grant.isDoubted(env)) {
            return hold != null;
        }
        Renewal outcome = renewals.confirmNow(hold);
        return currentOrTell(name) != null && outcome instanceof Renewal.Renewed;
    }

    /** Throws if the current thread lost the lock and was not told. */
    void throwIfLost(String name) {
        LossCause cause = lostHolds.tell(Thread.currentThread(), name);
        if (cause != null) {
            throw new LeaseLostException(name, cause);
        }
    }

    /**
     * Adds to the count of a hold; asks the backend first unless it has confirmed the hold within a renewal period, and since another
     * server took over.
     *
     * @return {@code false} if the hold is over
     * @throws LockBackendException if the wall clock casts doubt on the hold, and the backend does not answer
     */
    boolean reenter(Hold hold) {
        if (hold.grant.isBeforeTakeover() || !hold.grant.isConfirmed(env, hold.options)) {
            Renewal outcome = renewals.confirmNow(hold);
            if (outcome instanceof Renewal.Failed failed
                    && hold.state == Hold.State.HELD
                    && hold.grant.isDoubted(env)) {
                throw failed.cause();
            }
        }
        losses.expireIfOver(hold.grant);
        if (!hold.grant.cell.reenter(hold)) {
            return false;
        }
        tellCount(hold);
        return true;
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
            LOG.log(System.Logger.Level.WARNING, "the count of lock \"" + hold.lockName() + "\" was not shown", e);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether the hold that a wait ended with is one for its owner, and not lost already. */
    boolean isReturned(Hold hold) {
        if (hold.owner != null) {
            // What was lost before was told before; what is lost from here on is new.
            lostHolds.forget(hold.owner, hold.lockName());
        }
        if (hold.grant.cell.hasReturned(hold)) {
            return true;
        }
        losses.expireIfOver(hold.grant);
        return false;
    }

    /** Lets all that is held here end with its lease; returns when the last one is over. */
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

    /** Ends all that is held here; returns the claims that are to be given back. */
    List<Claim> loseAll(LossCause cause) {
        return cells.all().stream()
                .map(Cell::holder)
                .filter(Objects::nonNull)
                .map(hold -> {
                    losses.lose(hold.grant, cause);
                    return hold.grant.claim;
                })
                .toList();
    }
}
