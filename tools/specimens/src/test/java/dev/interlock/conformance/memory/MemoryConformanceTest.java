// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The kit on the correct lock of which the wrong ones are made. The fast leg has the kit of each strategy. */
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class MemoryConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return new MemoryHarness(new WrongLock("correct"));
    }
}
