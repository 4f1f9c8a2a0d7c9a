// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.time.Duration;

/**
 * What locks are asked for.
 *
 * @param lease how long a lock outlives a holder that has died
 * @param renewed whether locks are held for longer than that; candidates that renew anyhow need not look
 */
public record Terms(Duration lease, boolean renewed) {
    /** What locks are asked for that are given up at once. */
    public static final Terms SHORT = new Terms(Duration.ofSeconds(30), false);
}
