// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The kit on a correct lock that serves waiters in the order in which they came. */
@Tag("nightly")
@Execution(ExecutionMode.CONCURRENT)
class FairConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return new MemoryHarness(new FairLock("fair"));
    }
}
