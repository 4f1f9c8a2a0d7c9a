// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.LockStrategyProvider;
import java.util.Set;

/**
 * Offers locks that belong to no strategy as if they were those of one.
 *
 * @param provider the strategy that they are shown as
 * @param offered the features that they have beyond {@code Lock}
 */
public record PlainHarness(LockStrategyProvider provider, Set<Beyond> offered) implements LockHarness {
    /**
     * Creates a harness.
     *
     * @param locks the locks, all of them free
     */
    public PlainHarness(PlainLocks locks) {
        this(locks.provider(), locks.offered());
    }

    @Override
    public LockConfig config() {
        return LockConfig.builder().build();
    }
}
