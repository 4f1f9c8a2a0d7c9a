// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import java.time.Duration;

/**
 * The duration and intensity of measurements.
 *
 * @param name its name for the user
 * @param warmUp for how long each measurement runs before it counts
 * @param guardedCounter for how long the processes count
 * @param uncontended for how long lock and unlock are timed
 * @param contended for how long contenders are timed
 * @param counted for how long contenders run while their commands are counted
 * @param countedPairs during how many pairs of lock and unlock commands are counted
 * @param heldLocks how many locks are held at once while their memory is measured
 */
public record Effort(
        String name,
        Duration warmUp,
        Duration guardedCounter,
        Duration uncontended,
        Duration contended,
        Duration counted,
        int countedPairs,
        int heldLocks) {
    public static final Effort NORMAL = new Effort(
            "normal",
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(5),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            500,
            3_000);
    public static final Effort QUICK = new Effort(
            "quick",
            Duration.ofMillis(500),
            Duration.ofMillis(1500),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofMillis(500),
            200,
            1_000);

    /**
     * Returns the effort for a setting that is one of many, as numbers of clients and networks are. It is less, so that
     * there is time for several rounds, which show how far figures vary as one long run does not. The code is warm when
     * these settings have their turn. A network makes no difference to the number of commands, so that few pairs are
     * enough to count them.
     */
    public Effort ofOneAmongMany() {
        return new Effort(
                name,
                warmUp.dividedBy(4),
                guardedCounter,
                uncontended.multipliedBy(3).dividedBy(5),
                contended.dividedBy(2),
                counted.dividedBy(2),
                Math.max(1, countedPairs / 10),
                heldLocks);
    }
}
