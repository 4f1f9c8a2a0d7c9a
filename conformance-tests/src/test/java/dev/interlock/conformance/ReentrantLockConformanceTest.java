// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.plain.PlainLocks;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code ReentrantLock} keeps every rule for plain locks. */
@Execution(ExecutionMode.CONCURRENT)
class ReentrantLockConformanceTest extends PlainLockConformance {
    @Override
    protected PlainLocks locks() {
        return PlainLocks.of(ReentrantLock::new)
                .wakingWaiters()
                .holdCount(ReentrantLock.class, ReentrantLock::getHoldCount);
    }
}
