// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.util.List;

/** One measurement of a candidate, on servers of its own. */
interface Scenario {
    /** What the user calls it. */
    String name();

    /** The heading of its table. */
    String title();

    /** What it finds, the figure by which candidates are compared first. */
    List<Metric> metrics();

    /** Whether it makes sense for a candidate. */
    default boolean suits(Candidate candidate) {
        return true;
    }

    /**
     * Measures once, and leaves nothing behind.
     *
     * @throws RuntimeException if there is no result
     */
    Figures measure(Candidate candidate);
}
