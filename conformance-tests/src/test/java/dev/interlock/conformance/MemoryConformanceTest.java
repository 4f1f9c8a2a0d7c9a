// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit on correct locks. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@MethodSource("locks")
class MemoryConformanceTest extends DistributedLockConformance {
    @Parameter
    WrongLock lock;

    static Stream<WrongLock> locks() {
        return Stream.of(new WrongLock("correct"), new FairLock("fair"));
    }

    @Override
    protected LockHarness harness() {
        return new MemoryHarness(lock);
    }
}
