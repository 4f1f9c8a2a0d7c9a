// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of tenures: how they begin, are entered again, handed over, given up, extended and lost. Safe to use from any thread.
 */
final class Tenures {
    private static final System.Logger LOG = System.getLogger(Tenures.class.getPackageName());

    private final Environment env;
    private final LeaseProtocol protocol;
    private final CellTable cells;
    private final Releases releases;
    private final int localHandoffs;

    private final LostHolds lostHolds = new LostHolds();
    private final Renewals renewals;
    private final DueWorker<Grant> expiries;
    private final Notices notices;

    Tenures(Environment env, LeaseProtocol protocol, CellTable cells, Releases releases, int localHandoffs) {
        this.env = env;
        this.protocol = protocol;
        this.cells = cells;
        this.releases = releases;
        this.localHandoffs = localHandoffs;
        this.renewals = new Renewals(env, protocol, this);
        this.expiries = new DueWorker<>(env, "interlock-expiry", 0, due -> due.forEach(this::expireGuarded));
        this.notices = new Notices(env);
    }

    /** Makes a tenure of a fresh grant the holder of its cell; by the engaged thread, under the mutex. */
    Tenure begin(Grant grant, Owner owner, LockOptions options) {
        Tenure tenure = succeed(grant, owner, options);
        try {
            renewals.plan(grant);
            expireSoon(grant);
        } catch (Throwable e) {
            // No thread could be had to look after it, so nobody may hold it.
            end(grant);
            grant.cell.engageAfterHolder();
            throw e;
        }
        return tenure;
    }

    /** Plans the end of a grant for when its validity ends, as far as is known now; under the mutex. */
    void expireSoon(Grant grant) {
        forgetExpiry(grant);
        grant.expiryEntry = expiries.add(grant, grant.validity.deadlineNanos());
    }

    private void forgetExpiry(Grant grant) {
        if (grant.expiryEntry != null) {
            expiries.remove(grant.expiryEntry);
            grant.expiryEntry = null;
        }
    }

    private Tenure succeed(Grant grant, Owner owner, LockOptions options) {
        Tenure tenure = new Tenure(this, env, grant, owner, options);
        grant.tenure = tenure;
        grant.cell.hold(tenure);
        return tenure;
    }

    /** Adds a hold to a tenure, or returns {@code false} if it is over. */
    boolean reenter(Tenure tenure) {
        Cell cell = tenure.grant.cell;
        cell.mutex.lock();
        try {
            if (tenure.state != Tenure.State.HELD) {
                return false;
            }
            if (tenure.holds == Integer.MAX_VALUE) {
                throw new Error("lock \"" + cell.name + "\" is held as often as can be counted");
            }
            tenure.holds++;
            return true;
        } finally {
            cell.mutex.unlock();
        }
    }

    /** Tells the strategy how often the current thread holds the lock; not under the mutex, since that may take a request. */
    void tellHolds(Tenure tenure) {
        if (tenure.owner.thread() != null) {
            Waiting.undisturbed(() -> {
                protocol.holdsChanged(tenure.grant.claim, tenure.holds);
                return null;
            });
        }
    }

    void unlock(String name) {
        Tenure tenure = current(name);
        if (tenure == null) {
            throw notHeld(name);
        }
        release(tenure);
    }

    private IllegalMonitorStateException notHeld(String name) {
        return lostHolds
                .takeBack(Thread.currentThread(), name)
                .<IllegalMonitorStateException>map(cause -> new LeaseLostException(name, cause))
                .orElseGet(() ->
                        new IllegalMonitorStateException("the current thread does not hold lock \"" + name + "\""));
    }

    void closeHandle(Tenure tenure) {
        expireIfOver(tenure);
        release(tenure);
    }

    /** Undoes one hold; with the last one hands the grant over to the next here, or gives it back. */
    void release(Tenure tenure) {
        Grant grant = tenure.grant;
        Cell cell = grant.cell;
        boolean entered;
        int signals;
        cell.mutex.lock();
        try {
            if (tenure.state != Tenure.State.HELD) {
                throwIfLost(tenure);
                return;
            }
            entered = tenure.holds > 1;
            if (entered) {
                tenure.holds--;
            } else {
                tenure.state = Tenure.State.RELEASED;
                if (handOver(grant)) {
                    cells.leave(cell);
                    return;
                }
                end(grant);
                cell.engageAfterHolder();
            }
            signals = cell.signals();
        } finally {
            cell.mutex.unlock();
        }
        if (entered) {
            tellHolds(tenure);
            return;
        }
        Optional<LossCause> lost = Optional.empty();
        try {
            lost = releases.now(grant.claim);
        } finally {
            cell.mutex.lock();
            try {
                lost.ifPresent(cause -> markLost(tenure, cause));
                tenure.lossThrown = lost.isPresent();
                cell.handoffs = 0;
                cell.passOn(signals);
            } finally {
                cell.mutex.unlock();
                cells.leave(cell);
            }
        }
        if (lost.isPresent()) {
            throw tenure.lost();
        }
    }

    /** Tells whoever gives up a tenure that it was lost: a thread for each of its holds, a handle once. Under the mutex. */
    private void throwIfLost(Tenure tenure) {
        if (tenure.owner.thread() != null) {
            throw notHeld(tenure.lockName());
        }
        if (tenure.state == Tenure.State.LOST && !tenure.lossThrown) {
            tenure.lossThrown = true;
            throw tenure.lost();
        }
    }

    /** Passes a grant on to the next waiter here, if there is one and enough is left of it; under the mutex. */
    private boolean handOver(Grant grant) {
        Cell cell = grant.cell;
        Waiter next = cell.first();
        if (next == null || cell.handoffs >= localHandoffs || !isGoodFor(grant, next)) {
            return false;
        }
        cell.handoffs++;
        LockOptions before = Objects.requireNonNull(grant.tenure).options;
        next.tenure = succeed(grant, next.owner, next.options);
        if (!before.equals(next.options)) {
            renewals.plan(grant);
        }
        cell.take(next, Waiter.State.GRANTED);
        return true;
    }

    /**
     * Whether the next holder may have a grant. A renewal for the last one that is carried out late, or one for a shorter lease,
     * could shorten on the server what the next one believes in; under the mutex.
     */
    private boolean isGoodFor(Grant grant, Waiter next) {
        Tenure last = Objects.requireNonNull(grant.tenure);
        Duration lease = next.options.lease();
        long full = next.options.renewal() ? Math.min(lease.toNanos(), grant.validity.termNanos()) : lease.toNanos();
        return !last.capped
                && !grant.renewalUnanswered
                && last.options.lease().equals(lease)
                && grant.validity.remainingNanos(env) >= full / 2;
    }

    /** Takes a grant out of all that would extend or end it; under the mutex. */
    private void end(Grant grant) {
        grant.tenure = null;
        renewals.forget(grant);
        forgetExpiry(grant);
    }

    /** Ends the tenure that a grant has now, if any, because the grant is no more. */
    void lose(Grant grant, LossCause cause) {
        Cell cell = grant.cell;
        cell.mutex.lock();
        try {
            Tenure tenure = grant.tenure;
            if (tenure == null) {
                return;
            }
            Thread owner = tenure.owner.thread();
            if (owner != null) {
                lostHolds.add(owner, cell.name, tenure.holds, cause);
            }
            end(grant);
            cell.handoffs = 0;
            cell.dropHolder();
            markLost(tenure, cause);
            if (owner != null && tenure.options.interruptOnLoss()) {
                owner.interrupt();
            }
            if (grant.renewalUnanswered) {
                releases.afterUnknownOutcome(grant.claim);
            }
        } finally {
            cell.mutex.unlock();
        }
        cells.leave(cell);
    }

    private void markLost(Tenure tenure, LossCause cause) {
        tenure.lossCause = cause;
        tenure.state = Tenure.State.LOST;
        tenure.takeLossActions().forEach(registered -> notify(registered.action, cause));
    }

    private void notify(Consumer<? super LossCause> action, LossCause cause) {
        notices.add(() -> action.accept(cause));
    }

    private void expire(Grant grant) {
        LossCause cause;
        grant.cell.mutex.lock();
        try {
            Tenure tenure = grant.tenure;
            if (tenure == null) {
                return;
            }
            if (!grant.validity.isOver(env)) {
                expireSoon(grant);
                return;
            }
            cause = whyOver(grant, tenure);
        } finally {
            grant.cell.mutex.unlock();
        }
        lose(grant, cause);
    }

    /** Lets no lock suffer from what another one runs into. */
    private void expireGuarded(Grant grant) {
        try {
            expire(grant);
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "the end of lock \"" + grant.cell.name + "\" failed", e);
        }
    }

    private static LossCause whyOver(Grant grant, Tenure tenure) {
        if (tenure.isAbandoned()) {
            return LossCause.OWNER_DIED;
        }
        if (grant.renewalUnanswered) {
            return LossCause.UNREACHABLE;
        }
        return tenure.capped ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }

    /** Does at once what the timer is about to do. */
    private void expireIfOver(Tenure tenure) {
        if (tenure.state == Tenure.State.HELD && tenure.grant.validity.isOver(env)) {
            expire(tenure.grant);
        }
    }

    /** The tenure by which the current thread holds a lock, if it does. */
    @Nullable
    Tenure current(String name) {
        Cell cell = cells.find(name);
        Tenure tenure = cell == null ? null : cell.holder;
        if (tenure == null || !tenure.owner.isThread(Thread.currentThread())) {
            return null;
        }
        expireIfOver(tenure);
        return tenure.state == Tenure.State.HELD ? tenure : null;
    }

    /** Whether a tenure was lost before its owner got to see it, who then is not to be told of the loss. */
    boolean wasLostUnseen(Tenure tenure) {
        expireIfOver(tenure);
        if (tenure.state != Tenure.State.LOST) {
            return false;
        }
        Thread owner = tenure.owner.thread();
        if (owner != null) {
            lostHolds.takeBack(owner, tenure.lockName());
        }
        return true;
    }

    int holdCount(String name) {
        Tenure tenure = current(name);
        return tenure == null ? 0 : tenure.holds;
    }

    void onLoss(Tenure tenure, Tenure.LossAction registered) {
        Cell cell = tenure.grant.cell;
        cell.mutex.lock();
        try {
            if (!tenure.addLossAction(registered) && tenure.state == Tenure.State.LOST) {
                notify(registered.action, Objects.requireNonNull(tenure.lossCause));
            }
        } finally {
            cell.mutex.unlock();
        }
    }

    void cancelOnLoss(Tenure tenure, Tenure.LossAction registered) {
        Cell cell = tenure.grant.cell;
        cell.mutex.lock();
        try {
            tenure.removeLossAction(registered);
        } finally {
            cell.mutex.unlock();
        }
    }

    void ensureValid(Tenure tenure, Duration atLeast) {
        Duration lease = tenure.options.lease();
        if (atLeast.isNegative() || atLeast.compareTo(lease) > 0) {
            throw new IllegalArgumentException(
                    "cannot ensure " + atLeast + " of validity: the lease is " + lease + "; ask for less than that");
        }
        requireHeld(tenure);
        if (tenure.remaining().compareTo(atLeast) >= 0) {
            return;
        }
        Duration wanted = tenure.leaseToRenew();
        if (wanted.compareTo(atLeast) < 0) {
            throw new LeaseLostException(tenure.lockName(), LossCause.MAX_HOLD);
        }
        Renewal answer = renewals.renewNow(tenure, wanted);
        requireHeld(tenure);
        if (tenure.remaining().compareTo(atLeast) >= 0) {
            return;
        }
        if (answer instanceof Renewal.Failed failed) {
            throw failed.cause();
        }
        throw new IllegalArgumentException("cannot ensure " + atLeast + " of validity: a fresh lease of " + wanted
                + " gives " + tenure.remaining() + "; ask for less, or for a longer lease");
    }

    private void requireHeld(Tenure tenure) {
        expireIfOver(tenure);
        if (tenure.state == Tenure.State.LOST) {
            throw tenure.lost();
        }
        if (tenure.state == Tenure.State.RELEASED) {
            throw new IllegalStateException("the lease of lock \"" + tenure.lockName() + "\" was given up");
        }
    }

    void close(Waiting waiting, long untilNanos) {
        renewals.close(waiting, untilNanos);
        expiries.close(waiting, untilNanos);
    }
}
