// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of the engine. */
final class EngineMutants {
    static final List<CodeMutant> ALL = List.of(
            // Leases: how long a grant is valid, and its renewal.
            of(
                    "renewal-is-never-planned",
                    "Grant",
                    "renewalPlanned = holder != null && holder.isRenewed() && !capped;",
                    "renewalPlanned = false;"),
            // Holds: re-entry, release, and loss.
            of("re-entry-is-not-counted", "AbstractHold", "count++;\n", ""),
            of("exit-is-not-counted", "Hold", "count--;\n", ""),
            of(
                    "loss-is-not-remembered",
                    "Cell",
                    "if (owner != null && hold.returned && hold.countOfItsOwn() > 0) {",
                    "if (owner != null && hold.countOfItsOwn() < 0) {"),
            of(
                    "release-is-not-sent",
                    "Unlocks",
                    "giveBack(hold, () -> releases.now(hold.grant.claim, patience));",
                    "giveBack(hold, () -> new Release.Freed(false));"),
            // Waiters of one process, and the hand-off between them.
            of("queue-loses-a-waiter", "LocalQueue", "queue.add(waiter);\n", ""),
            of(
                    "waiter-that-gives-up-stays-in-the-queue",
                    "LocalQueue",
                    "if (queue == null || !queue.remove(waiter)) {",
                    "if (queue == null) {"),
            of("turn-wakes-nobody", "LocalQueue", "wake(takeNext(yieldSince));", "takeNext(yieldSince);"),
            of(
                    "hand-off-keeps-the-token",
                    "Grant",
                    "OptionalLong.of(firstFence + holdsBefore)",
                    "OptionalLong.of(firstFence)"));

    private EngineMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "engine", "dev.interlock.engine." + className, text, other);
    }
}
