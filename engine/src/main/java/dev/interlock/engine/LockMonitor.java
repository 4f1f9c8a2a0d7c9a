// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.condition.Departure;
import dev.interlock.engine.condition.MonitorLock;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Wait;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gives the conditions of a lock access to the engine. Safe to use from any thread. */
final class LockMonitor implements MonitorLock {
    private final LockEngine engine;
    private final String name;

    LockMonitor(LockEngine engine, String name) {
        this.engine = engine;
        this.name = name;
    }

    private EngineCore core() {
        return engine.core();
    }

    @Override
    public String name() {
        return name;
    }

    private Hold hold() {
        Hold hold = core().holds().require(name);
        core().requireOpen();
        return hold;
    }

    @Override
    public Claim newWaiter(String condition) {
        Hold hold = hold();
        return core().newClaim(hold.grant.cell, hold.options, true).withCondition(condition);
    }

    @Override
    public void asHolder(Function<Claim, Optional<LossCause>> request) {
        Hold hold = hold();
        Claim held = hold.grant.claim;
        Optional<LossCause> loss =
                core().secondRequests().ask(name, held.timeout(), () -> Wait.undisturbed(() -> request.apply(held)));
        loss.ifPresent(cause -> core().unlocks().lost(hold, cause));
    }

    @Override
    public void leaveLater(Claim waiter) {
        core().releases().leaveLater(waiter);
    }

    @Override
    public Departure leave(Claim waiter) {
        Hold hold = hold();
        if (hold.count > hold.countOfItsOwn()) {
            throw new IllegalMonitorStateException(
                    "the current thread holds lock \"" + name
                            + "\" as part of a lock over several names: to wait for a condition would give up one of its names");
        }
        Cell cell = core().cells().enter(name);
        try {
            LockBackendException failure = core().unlocks().exitToWait(hold, waiter);
            return new Left(cell, hold, failure);
        } catch (Throwable e) {
            core().cells().leave(cell);
            throw e;
        }
    }

    /** A hold that its thread has given up for a wait. */
    private final class Left implements Departure {
        private final Cell cell;
        private final Hold given;
        private final int holds;
        private final @Nullable LockBackendException failure;
        private @Nullable Hold regained;

        Left(Cell cell, Hold given, @Nullable LockBackendException failure) {
            this.cell = cell;
            this.given = given;
            this.holds = given.count;
            this.failure = failure;
        }

        @Override
        public @Nullable LockBackendException failure() {
            return failure;
        }

        @Override
        public void answered() {
            cell.answered();
        }

        @Override
        public boolean isHopeless(LockBackendException cause) {
            cell.failed(cause);
            return cell.contact()
                    .isHopeless(
                            core().environment(), cause, given.options.lease().toNanos(), true);
        }

        @Override
        public Claim comeBack(@Nullable Claim place) {
            regained = core().acquisitions().comeBack(name, given.options, holds, place);
            return regained.grant.claim;
        }

        @Override
        public void keepSignal(Claim waiter) {
            // Only the thread that holds the lock changes the claim, and nothing of it but the condition.
            Grant grant = Objects.requireNonNull(regained, "the thread has come back").grant;
            grant.claim = grant.claim.withCondition(waiter.condition().orElseThrow());
        }

        @Override
        public void giveBack(Claim waiter) {
            core().releases().withdraw(waiter, waiter.timeout());
        }

        @Override
        public void stayAway(LossCause cause) {
            core().unlocks().forfeit(name, holds, cause);
        }

        @Override
        public void close() {
            core().cells().leave(cell);
        }
    }
}
