// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import java.time.Duration;

/**
 * The duration and intensity of measurements.
 *
 * @param name what the user calls it
 * @param warmUp for how long each measurement runs before it counts
 * @param guardedCounter for how long the processes count
 * @param uncontended for how long lock and unlock are timed
 * @param contended for how long contenders are timed
 * @param counted for how long contenders run while their commands are counted
 * @param countedPairs during how many pairs of lock and unlock commands are counted
 */
public record Effort(
        String name,
        Duration warmUp,
        Duration guardedCounter,
        Duration uncontended,
        Duration contended,
        Duration counted,
        int countedPairs) {
    public static final Effort NORMAL = new Effort(
            "normal",
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            500);
    public static final Effort QUICK = new Effort(
            "quick",
            Duration.ofMillis(500),
            Duration.ofMillis(1500),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofMillis(500),
            200);
}
