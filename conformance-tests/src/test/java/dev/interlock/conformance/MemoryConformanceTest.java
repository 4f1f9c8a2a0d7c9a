// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** The kit on a correct lock. */
class MemoryConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return new MemoryHarness(new WrongLock("correct"));
    }
}
