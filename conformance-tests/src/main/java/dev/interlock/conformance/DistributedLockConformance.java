// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.rules.AsynchronyRules;

/**
 * The whole contract as tests, one for each numbered rule. The author of a strategy extends this class, returns a
 * {@link LockHarness}, and runs it like any other test:
 *
 * <pre>{@code
 * class MyStrategyConformanceTest extends DistributedLockConformance {
 *     @Override
 *     protected LockHarness harness() {
 *         return new MyHarness();
 *     }
 * }
 * }</pre>
 *
 * <p>The tests are final, so that none can be switched off; those whose {@link Needs} are not met are skipped and say
 * why. The chapters are the superclasses of this class. What a rule means, and where to look when it fails, is in
 * {@code docs/contract.md} under its number.
 */
public abstract class DistributedLockConformance extends AsynchronyRules {
    /** For subclasses. */
    protected DistributedLockConformance() {}
}
