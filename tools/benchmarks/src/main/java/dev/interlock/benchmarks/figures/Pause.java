// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets time pass while others work. */
public final class Pause {
    private Pause() {}

    public static void of(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
