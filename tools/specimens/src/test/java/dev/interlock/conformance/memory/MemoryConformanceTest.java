// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The kit on a correct lock. */
@Execution(ExecutionMode.CONCURRENT)
class MemoryConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return new MemoryHarness(new WrongLock("correct"));
    }
}
