// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets time pass while others work. */
final class Pause {
    private Pause() {}

    static void of(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
