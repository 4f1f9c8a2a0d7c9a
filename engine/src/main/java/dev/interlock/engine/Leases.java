// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.protocol.Renewal;
import java.time.Duration;
import java.util.function.Consumer;

/** Queries about the lease of a hold, and {@code ensureValid}. Safe to use from any thread. */
final class Leases {
    /** The largest part of a lease that a strategy subtracts for drift: the engine asks for this much more. */
    private static final int ALLOWANCE_PARTS = 50;

    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    private final Environment env;
    private final Renewals renewals;
    private final Losses losses;
    private final LostHolds lostHolds;

    Leases(Environment env, Renewals renewals, Losses losses, LostHolds lostHolds) {
        this.env = env;
        this.renewals = renewals;
        this.losses = losses;
        this.lostHolds = lostHolds;
    }

    void onLoss(Hold hold, Consumer<? super LossCause> action) {
        if (!hold.grant.cell.addLossAction(hold, action)) {
            losses.announce(hold, action);
        }
    }

    private Duration remaining(Hold hold) {
        return Duration.ofNanos(hold.remainingNanos(env));
    }

    void ensureValid(Hold hold, Duration atLeast) {
        if (atLeast.isNegative() || atLeast.compareTo(LockOptions.MAX_LEASE) > 0) {
            throw new IllegalArgumentException("cannot ensure " + atLeast
                    + " of validity: ask for something between zero and " + LockOptions.MAX_LEASE);
        }
        requireHeld(hold);
        if (remaining(hold).compareTo(atLeast) >= 0) {
            return;
        }
        Duration wanted = atLeast.plus(atLeast.dividedBy(ALLOWANCE_PARTS)).plus(ALLOWANCE);
        Duration lease = hold.withinMaxHold(env, max(wanted, hold.options.lease()));
        if (lease.compareTo(atLeast) < 0) {
            throw beyondMaxHold(hold, atLeast, lease);
        }
        Renewal outcome = renewals.renewNow(hold, lease);
        requireHeld(hold);
        if (remaining(hold).compareTo(atLeast) >= 0) {
            return;
        }
        if (outcome instanceof Renewal.Failed failed) {
            throw failed.cause();
        }
        if (lease.compareTo(wanted) < 0) {
            throw beyondMaxHold(hold, atLeast, remaining(hold));
        }
        throw new LockBackendException(
                LockBackendException.Reason.UNREACHABLE,
                "lock \"" + hold.lockName() + "\" was extended, but the answer took so long that only "
                        + remaining(hold) + " of " + atLeast + " are left");
    }

    private static IllegalStateException beyondMaxHold(Hold hold, Duration atLeast, Duration left) {
        return new IllegalStateException("lock \"" + hold.lockName() + "\" cannot be kept for another " + atLeast
                + ": maxHold leaves " + max(left, Duration.ZERO));
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private void requireHeld(Hold hold) {
        losses.expireIfOver(hold.grant);
        if (hold.state == Hold.State.LOST) {
            if (hold.isOwnedBy(Thread.currentThread())) {
                lostHolds.precludeInterrupt(Thread.currentThread(), hold.lockName());
            }
            throw hold.lost();
        }
        if (hold.state == Hold.State.RELEASED) {
            throw new IllegalStateException("the lease of lock \"" + hold.lockName() + "\" was given up");
        }
    }
}
