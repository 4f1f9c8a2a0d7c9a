// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of the engine. */
final class EngineMutants {
    static final List<CodeMutant> ALL = List.of(
            // Leases: how long a grant is valid, and its renewal.
            of(
                    "clocks-that-differ-cast-no-doubt",
                    "GrantValidity",
                    "return remainingNanos(env) == 0 && deadlineNanos - env.nanoTime() > CLOCK_TOLERANCE_NANOS;",
                    "return false;"),
            of(
                    "confirmation-extends-what-is-left",
                    "Grant",
                    "if (request.extending() && startNanos + validity.toNanos()",
                    "if (startNanos + request.claim().lease().toNanos() + validity.toNanos()"),
            of(
                    "renewal-is-never-planned",
                    "Grant",
                    "renewalPlanned = holder != null && holder.isRenewed() && !capped;",
                    "renewalPlanned = false;"),
            of(
                    "renewal-comes-at-the-end-of-the-lease",
                    "Grant",
                    "renewalNanos = sinceNanos + givenNanos(holder) / timesPerLease;",
                    "renewalNanos = sinceNanos + givenNanos(holder);"),
            of("renewal-happens-once", "Grant", "planRenewal(request.startNanos(), RENEWALS_PER_LEASE);\n", ""),
            of(
                    "failed-renewal-is-not-repeated",
                    "Grant",
                    "renewalUnanswered = true;\n                planRenewal(env.nanoTime(), RETRIES_PER_LEASE);",
                    "renewalUnanswered = true;"),
            of(
                    "takeover-hurries-no-renewal",
                    "Grant",
                    "if (holder != null && renewalPlanned && isBeforeTakeover()) {",
                    "if (holder == null) {"),
            of("loss-at-renewal-is-ignored", "Renewals", "losses.lose(grant, lost.cause());\n", ""),
            of(
                    "lost-renewal-counts-as-failed",
                    "Renewals",
                    "losses.lose(grant, lost.cause());\n            return;",
                    ""),
            of(
                    "renewal-of-what-is-over-is-sent",
                    "Renewals",
                    "if (planned.grant.isOver(env)) {",
                    "if (planned.claim == null) {"),
            of(
                    "ensuring-sends-nothing",
                    "Leases",
                    "Renewal outcome = renewals.renewNow(hold, lease);",
                    "Renewal outcome = new Renewal.Renewed(lease);"),
            of("timer-is-not-woken", "threads.Timer", "if (scanning || dueNanos - wakeNanos < 0) {", "if (scanning) {"),
            of("moved-entry-stays-in-front", "threads.TimerHeap", "siftDown(entry.position, entry);", ""),
            // Holds: re-entry, release, and loss.
            of("re-entry-is-not-counted", "AbstractHold", "count++;\n", ""),
            of("exit-is-not-counted", "Hold", "count--;\n", ""),
            of("lock-is-free-one-exit-too-soon", "Hold", "if (count == 1 || all) {", "if (count <= 2 || all) {"),
            of(
                    "loss-is-not-remembered",
                    "Cell",
                    "if (owner != null && hold.returned && hold.countOfItsOwn() > 0) {",
                    "if (owner != null && hold.countOfItsOwn() < 0) {"),
            of("loss-passes-nothing-on", "Cell", "next = takeNext(null);", "next = null;"),
            of("loss-releases-nothing", "Losses", "releases.afterUnknownOutcome(grant.claim.withHeld(false));", ""),
            of("loss-keeps-the-cell", "Losses", "cells.leave(grant.cell);", ""),
            of("loss-of-two-holds-is-told-once", "loss.LostHolds", "if (--lost.holds == 0) {", "if (true) {"),
            of(
                    "release-is-not-sent",
                    "Unlocks",
                    "giveBack(hold, () -> releases.now(hold.grant.claim, patience));",
                    "giveBack(hold, () -> new Release.Freed(false));"),
            of("release-passes-nothing-on", "Unlocks", "cell.passOn(yields ? signals : null);", ""),
            of(
                    "loss-at-release-is-not-told",
                    "Unlocks",
                    "if (outcome instanceof Release.Lost) {\n            throw",
                    "if (outcome == null && hold == null) {\n            throw"),
            of(
                    "release-in-the-background-is-tried-once",
                    "backend.PendingReleases",
                    "if (!outcome.isFinal()) {",
                    "if (outcome == null) {"),
            of(
                    "unknown-acquisition-is-not-undone",
                    "AcquireRequests",
                    "if (unknown) {\n                core.releases().afterUnknownOutcome(claim);\n            }",
                    ""),
            of(
                    "unknown-acquisition-is-undone-once",
                    "backend.Releases",
                    "pendings.add(claim, 2);",
                    "pendings.add(claim, 1);"),
            of(
                    "grant-that-is-over-is-taken",
                    "AcquireRequests",
                    "if (grant.remainingNanos(core.environment()) == 0) {",
                    "if (grant == null) {"),
            of(
                    "owner-tokens-repeat",
                    "backend.Claims",
                    "new OwnerToken(tokenPrefix, number)",
                    "new OwnerToken(tokenPrefix, 1)"),
            // Waiters of one process, and the hand-off between them.
            of("queue-loses-a-waiter", "LocalQueue", "queue.add(waiter);\n", ""),
            of(
                    "waiter-that-gives-up-stays-in-the-queue",
                    "LocalQueue",
                    "if (queue == null || !queue.remove(waiter)) {",
                    "if (queue == null) {"),
            of("cell-stays-engaged", "LocalQueue", "engaged = next != null;", "engaged = true;"),
            of("turn-wakes-nobody", "LocalQueue", "wake(takeNext(yieldSince));", "takeNext(yieldSince);"),
            of("signal-is-not-counted", "LocalQueue", "SIGNALS.incrementAndGet(this);\n", ""),
            of("signal-wakes-no-thread", "LocalQueue", "table.env.unpark(waiting);", ""),
            of(
                    "releases-are-not-listened-to",
                    "LocalQueue",
                    "watch = protocol.watch(name, this::signal);",
                    "watch = protocol.watch(name, () -> {});"),
            of(
                    "place-is-not-given-up",
                    "Acquisition",
                    "core.releases().withdraw(place, wait.leftForRelease(place.timeout()));",
                    ""),
            of(
                    "place-is-forgotten",
                    "AcquireRequests",
                    "if (mayWait && core.protocol().queues(cell.name)) {",
                    "if (place == claim) {"),
            of(
                    "interrupt-is-forgotten",
                    "threads.Wait",
                    "interrupted |= Thread.interrupted();",
                    "Thread.interrupted();"),
            of(
                    "interrupt-does-not-end-a-wait",
                    "threads.Wait",
                    "return isEndedByInterrupt() || isTimeOver();",
                    "return isTimeOver();"),
            of(
                    "lock-cannot-be-interrupted",
                    "EngineLock",
                    "acquire(true, Wait.interruptibly(env()));",
                    "acquire(true, Wait.uninterruptibly(env()));"),
            of(
                    "time-out-comes-late",
                    "EngineLock",
                    "return acquire(true, Wait.atMost(env(), unit.toNanos(time))) != null;",
                    "return acquire(true, Wait.atMost(env(), unit.toNanos(time) + 1_000_000_000)) != null;"),
            of(
                    "hand-off-keeps-the-token",
                    "Grant",
                    "OptionalLong.of(firstFence + holdsBefore)",
                    "OptionalLong.of(firstFence)"),
            of("hand-off-needs-no-token", "Grant", "return !fenced || holds < claim.fences();", "return true;"),
            of("hand-offs-have-no-end", "Cell", "|| grant.handoffs() >= table.localHandoffs\n", ""),
            of("hand-off-leaves-the-waiter-in-the-queue", "Cell", "take(next, Waiter.State.GRANTED);", ""),
            of(
                    "hand-off-wakes-nobody",
                    "Cell",
                    "wake(next);\n        return Hold.Exit.HANDED_OVER;",
                    "return Hold.Exit.HANDED_OVER;"),
            // Conditions.
            of("adopted-signal-is-not-kept", "condition.ConditionWait", "departure.keepSignal(waiter);\n", ""),
            of(
                    "signalled-thread-asks-anew",
                    "condition.ConditionWait",
                    "departure.comeBack(place == Place.SIGNALLED ? waiter : null)",
                    "departure.comeBack(null)"),
            of("signal-ends-no-park", "condition.ConditionWait", "env.unpark(thread);", ""),
            of(
                    "wait-begins-before-it-listens",
                    "condition.ConditionWait",
                    "awaitListening(watch, waiter.timeout());\n            stirred = false;",
                    "stirred = false;"),
            of(
                    "lock-is-held-once-after-a-wait",
                    "LockMonitor",
                    "comeBack(name, given.options, holds, place)",
                    "comeBack(name, given.options, 1, place)"),
            of(
                    "lock-is-handed-off-before-the-wait-begins",
                    "Unlocks",
                    "cell.exit(hold, null, true, false)",
                    "cell.exit(hold, null, true, true)"),
            of(
                    "leaving-in-the-background-passes-nothing-on",
                    "backend.PendingReleases",
                    "protocol.conditions().ifPresent(conditions -> conditions.leave(claim, true));",
                    ""),
            // The end of a factory.
            of("close-wakes-no-waiter-of-a-condition", "EngineCore", "conditions.wakeAll();\n", ""),
            of("close-forgets-releases-that-wait", "EngineCore", "releases.all(pendings, wait, untilNanos);\n", ""),
            of("grant-begins-after-the-close", "Cell", "if (!open.getAsBoolean()) {", "if (grant == null) {"));

    private EngineMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "engine", "dev.interlock.engine." + className, text, other);
    }
}
