// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.rowlock;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The whole contract. */
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class RowLockConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return new DatabaseHarness();
    }
}
