// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

/**
 * One measurement.
 *
 * @param <R> what it finds: a record, which goes into the report as it is
 */
interface Scenario<R> {
    /** What is being measured, for the progress display. */
    String title();

    /**
     * Measures, and leaves nothing behind.
     *
     * @throws RuntimeException if there is no result
     */
    R measure(Subject subject);
}
