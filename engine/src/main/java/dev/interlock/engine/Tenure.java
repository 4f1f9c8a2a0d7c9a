// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One holder's time with a grant, and the lease that the holder sees. Fields are guarded by the cell's mutex except where volatile. */
final class Tenure implements Lease {
    enum State {
        HELD,
        RELEASED,
        LOST
    }

    final Grant grant;
    final Owner owner;
    final LockOptions options;
    volatile State state = State.HELD;
    int holds = 1;

    /** Whether renewal has gone as far as {@code maxHold} permits. */
    boolean capped;

    /** Whether the loss was thrown to whoever closed the handle. */
    boolean lossThrown;

    volatile @Nullable LossCause lossCause;

    private final Tenures tenures;
    private final Environment env;
    private final OptionalLong fence;
    private final long maxHoldEndNanos;
    private List<LossAction> lossActions = List.of();

    Tenure(Tenures tenures, Environment env, Grant grant, Owner owner, LockOptions options) {
        this.tenures = tenures;
        this.env = env;
        this.grant = grant;
        this.owner = owner;
        this.options = options;
        this.fence = grant.takeFence();
        this.maxHoldEndNanos =
                options.maxHold().map(bound -> env.nanoTime() + bound.toNanos()).orElse(0L);
    }

    /** The lease to ask for at a renewal: the whole of it, or what {@code maxHold} leaves; zero or less if nothing. */
    Duration leaseToRenew() {
        Duration lease = options.lease();
        if (options.maxHold().isEmpty()) {
            return lease;
        }
        Duration left = Duration.ofMillis(
                Duration.ofNanos(maxHoldEndNanos - env.nanoTime()).toMillis());
        return left.compareTo(lease) < 0 ? left : lease;
    }

    /** Whether the owner is a thread that has ended. */
    boolean isAbandoned() {
        Thread thread = owner.thread();
        return thread != null && !thread.isAlive();
    }

    /** Hands over the actions to run at the loss; under the mutex. */
    List<LossAction> takeLossActions() {
        List<LossAction> actions = lossActions;
        lossActions = List.of();
        return actions;
    }

    /** Keeps an action for the loss, or returns {@code false} if the tenure is over; under the mutex. */
    boolean addLossAction(LossAction action) {
        if (state != State.HELD) {
            return false;
        }
        if (lossActions.isEmpty()) {
            lossActions = new ArrayList<>();
        }
        return lossActions.add(action);
    }

    /** Forgets an action, unless the tenure is over; under the mutex. */
    void removeLossAction(LossAction action) {
        if (!lossActions.isEmpty()) {
            lossActions.remove(action);
        }
    }

    LeaseLostException lost() {
        return new LeaseLostException(lockName(), Objects.requireNonNull(lossCause));
    }

    @Override
    public String lockName() {
        return grant.cell.name;
    }

    @Override
    public OptionalLong fencingToken() {
        return fence;
    }

    @Override
    public boolean isValid() {
        return state == State.HELD && grant.validity.remainingNanos(env) > 0;
    }

    @Override
    public Duration remaining() {
        return state == State.HELD ? Duration.ofNanos(grant.validity.remainingNanos(env)) : Duration.ZERO;
    }

    @Override
    public void ensureValid(Duration atLeast) {
        tenures.ensureValid(this, atLeast);
    }

    @Override
    public Registration onLoss(Consumer<? super LossCause> action) {
        LossAction registration = new LossAction(Objects.requireNonNull(action, "action"));
        tenures.onLoss(this, registration);
        return registration;
    }

    /** An action to run at the loss. Each registration is an object of its own, also where two have the same action. */
    final class LossAction implements Registration {
        final Consumer<? super LossCause> action;

        private LossAction(Consumer<? super LossCause> action) {
            this.action = action;
        }

        @Override
        public void cancel() {
            tenures.cancelOnLoss(Tenure.this, this);
        }
    }

    @Override
    public String toString() {
        return "Lease[" + lockName() + ", " + state
                + (state == State.HELD ? ", remaining=" + remaining() : "")
                + (fence.isPresent() ? ", fencingToken=" + fence.getAsLong() : "") + "]";
    }
}
