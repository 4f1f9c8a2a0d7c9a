// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.internal.rules.TimedWaitRules;
import dev.interlock.conformance.internal.run.PlainHarness;
import dev.interlock.conformance.plain.PlainLocks;

/**
 * Chapters 1 to 5 of the contract as tests of any {@link java.util.concurrent.locks.Lock}: exclusion, ownership,
 * re-entry, interrupts and timed waits. The author of a lock extends this class and says how to make one:
 *
 * <pre>{@code
 * class ReentrantLockConformanceTest extends PlainLockConformance {
 *     @Override
 *     protected PlainLocks locks() {
 *         return PlainLocks.of(ReentrantLock::new);
 *     }
 * }
 * }</pre>
 *
 * <p>The rules are those of {@link DistributedLockConformance}. A rule that needs more than a plain lock has, such as a
 * handle or a lease, is skipped with the reason "needs …"; {@link PlainLocks} can declare what a lock has beyond {@code
 * Lock}. Where a rule uses a handle, a thread of its own holds the lock in its place. The kit counts the current
 * thread's holds itself, unless the lock has a query for them.
 */
public abstract class PlainLockConformance extends TimedWaitRules {
    /** For subclasses. */
    protected PlainLockConformance() {}

    /**
     * Returns the locks for the next rule. Called before each rule, on its thread.
     *
     * @return the locks, all of them free
     * @throws Exception if there are none; the rule then fails
     */
    protected abstract PlainLocks locks() throws Exception;

    @Override
    protected final LockHarness harness() throws Exception {
        return new PlainHarness(locks());
    }
}
