// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.LockStrategyProvider;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

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
    private Set<Beyond> offered = EnumSet.noneOf(Beyond.class);

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
        PlainLocks locks = locks();
        offered = locks.offered();
        LockStrategyProvider provider = locks.provider();
        return new LockHarness() {
            @Override
            public LockStrategyProvider provider() {
                return provider;
            }

            @Override
            public LockConfig config() {
                return LockConfig.builder().build();
            }
        };
    }

    /** A plain lock is named by the test class alone. */
    @Override
    final Optional<String> strategy() {
        return Optional.empty();
    }

    @Override
    final Set<Beyond> offered() {
        return offered;
    }
}
