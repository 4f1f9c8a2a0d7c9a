// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import dev.interlock.engine.backend.JointRequest;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.several.NameSet;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and gives up the parts of a lock over several names: one after the other in the order that all clients use,
 * or all that are free by one request where the backend can do that. Safe to use from any thread.
 */
final class SeveralParts {
    /** The outcome of a request for several parts at once. */
    private enum Together {
        TAKEN,
        /** Another owner holds one of the locks. */
        REFUSED,
        ONE_BY_ONE
    }

    private final EngineCore core;

    SeveralParts(EngineCore core) {
        this.core = core;
    }

    /** Throws if the current thread has lost one of the names, or if it could wait for itself or in a circle. */
    void requireOrder(NameSet names, boolean forThread, boolean mayWait) {
        String missing = null;
        for (String name : names.names()) {
            core.holds().throwIfLost(name);
            boolean mine = core.holds().current(name) != null;
            if (mine && !forThread) {
                throw new IllegalStateException("the current thread holds lock \"" + name
                        + "\" and would wait for itself; use lease() to look at its own hold");
            }
            if (mine && missing != null && mayWait) {
                throw new IllegalStateException("the current thread holds lock \"" + name + "\" and would wait for \""
                        + missing
                        + "\", which comes before it: another thread could do the opposite. Lock all names of "
                        + names.text() + " at once, unlock \"" + name + "\" first, or use tryLock()");
            }
            missing = missing == null && !mine ? name : missing;
        }
    }

    /**
     * Takes all parts of a hold.
     *
     * @return {@code false} if the time ran out; then no part is held
     */
    boolean takeAllOrNone(SeveralHold whole, Wait wait) throws InterruptedException {
        boolean taken = false;
        try {
            taken = takeAll(whole, wait);
            return taken;
        } finally {
            if (!taken) {
                giveUp(whole, wait);
            }
        }
    }

    private boolean takeAll(SeveralHold whole, Wait wait) throws InterruptedException {
        boolean mayWait = !wait.isTimeOver();
        List<String> free = whole.lockNames().stream()
                .filter(name -> whole.owner == null || core.holds().current(name) == null)
                .toList();
        JointLeases joint = core.protocol().joint().orElse(null);
        if (joint != null && free.size() > 1 && joint.areTogether(free)) {
            Together outcome = takeTogether(joint, free, whole, wait);
            // Asking for the parts one by one could take one command time-out for each.
            if (wait.isTimeOver() && (outcome == Together.REFUSED || (outcome == Together.ONE_BY_ONE && mayWait))) {
                free.forEach(core.cells().observer::requested);
                return false;
            }
        }
        for (String name : whole.lockNames()) {
            if (whole.part(name) == null) {
                if (mayWait && wait.isTimeOver() && !whole.parts().isEmpty()) {
                    return false;
                }
                Hold part = core.acquisitions().acquire(name, whole.options, whole.owner != null, wait, whole);
                if (part == null) {
                    return false;
                }
                if (part.count == 1) {
                    wait.noteAnswer();
                }
                whole.put(part);
            }
        }
        // An interrupt during the last request ends the wait as well.
        wait.begin();
        return true;
    }

    /** Tries to take several parts by one request. Nobody in this factory holds one of them, or waits for one. */
    private Together takeTogether(JointLeases joint, List<String> names, SeveralHold whole, Wait wait) {
        core.startTimer();
        List<Cell> entered = new ArrayList<>();
        int engaged = 0;
        List<Claim> granted = List.of();
        try {
            for (String name : names) {
                Cell cell = core.cells().enter(name);
                entered.add(cell);
                if (!cell.tryEngage()) {
                    if (!wait.isTimeOver()) {
                        return Together.ONE_BY_ONE;
                    }
                    Acquisition.throwIfInOutage(cell);
                    return Together.REFUSED;
                }
                engaged++;
            }
            core.requireOpen();
            JointRequest request = new JointRequest(
                    core.environment(),
                    joint,
                    core.secondRequests(),
                    core.releases(),
                    () -> entered.stream()
                            .map(cell -> core.newClaim(cell, whole.options, false))
                            .toList());
            JointLeases.Taking taking = Wait.undisturbed(() -> request.ask(core.open()));
            if (taking instanceof JointLeases.Taking.Failed failed) {
                entered.forEach(cell -> cell.failed(failed.cause()));
                if (wait.isAnswered() && !wait.isTimeOver()) {
                    return Together.ONE_BY_ONE;
                }
                names.forEach(core.cells().observer::requested);
                throw failed.cause();
            }
            if (taking instanceof JointLeases.Taking.OneByOne) {
                return Together.ONE_BY_ONE;
            }
            wait.noteAnswer();
            entered.forEach(Cell::answered);
            if (!(taking instanceof JointLeases.Taking.Granted all)) {
                return Together.REFUSED;
            }
            granted = request.claims();
            for (int i = 0; i < engaged; i++) {
                core.acquisitions()
                        .begin(grant(entered.get(i), request, all.grants().get(i), i), whole);
            }
            return Together.TAKEN;
        } finally {
            for (int i = 0; i < entered.size(); i++) {
                if (whole.part(names.get(i)) == null) {
                    leave(entered.get(i), i < engaged, granted.isEmpty() ? null : granted.get(i));
                }
            }
        }
    }

    /** Leaves a cell in which no part was begun. */
    private void leave(Cell cell, boolean engaged, @Nullable Claim granted) {
        if (granted != null) {
            core.releases().afterUnknownOutcome(granted);
        }
        if (engaged) {
            cell.passOn(null);
        }
        core.cells().leave(cell);
    }

    private static Grant grant(Cell cell, JointRequest request, Attempt.Granted granted, int index) {
        return new Grant(cell, request.claims().get(index), granted, request.startNanos(), request.startMillis());
    }

    /** Gives up the parts of a hold that its acquisition will not return. */
    void giveUp(SeveralHold whole, Wait wait) {
        List<Hold> parts = whole.parts();
        if (!parts.isEmpty()) {
            giveUp(whole, wait.leftForRelease(parts.get(0).grant.claim.timeout()));
        }
    }

    /**
     * Gives up the parts of a hold, in the opposite order. Parts that nobody in this factory holds or waits for any
     * more are released on the backend, by one request where that is possible.
     *
     * @param patience how long to wait for the answers of the backend
     * @return why one of them was lost before, or {@code null} if none was
     */
    @Nullable
    LossCause giveUp(SeveralHold whole, Duration patience) {
        LossCause loss = null;
        List<Hold> last = new ArrayList<>();
        for (Hold part : whole.parts()) {
            Hold.Exit exit = core.unlocks().exit(part, whole);
            if (exit == Hold.Exit.LAST) {
                last.add(0, part);
            } else if (exit == Hold.Exit.OVER && loss == null) {
                loss = part.lossCause;
            }
        }
        LossCause atRelease = giveBack(last, patience);
        return loss == null ? atRelease : loss;
    }

    /**
     * Gives up the parts of a hold because one of them was lost. The owner holds none of them from here on; the
     * releases on the backend happen in the background. May be called several times, also by several threads at once.
     * Does nothing once the factory is closed, since then each part is lost by itself.
     */
    void giveUpLater(SeveralHold whole) {
        if (!core.isOpen()) {
            return;
        }
        for (Hold part : whole.parts()) {
            if (core.unlocks().exit(part, whole) == Hold.Exit.LAST) {
                int signals = part.grant.cell.signals();
                core.releases().later(part.grant.claim);
                core.unlocks().end(part, signals, null);
            }
        }
    }

    private @Nullable LossCause giveBack(List<Hold> last, Duration patience) {
        List<Integer> signals =
                last.stream().map(part -> part.grant.cell.signals()).toList();
        List<@Nullable Release> outcomes = new ArrayList<>();
        try {
            core.releases().now(last.stream().map(part -> part.grant.claim).toList(), patience, outcomes);
        } finally {
            for (int i = 0; i < last.size(); i++) {
                core.unlocks().end(last.get(i), signals.get(i), i < outcomes.size() ? outcomes.get(i) : null);
            }
        }
        for (Release outcome : outcomes) {
            if (outcome instanceof Release.Lost lost) {
                return lost.cause();
            }
        }
        return null;
    }
}
