// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

/**
 * One measurement.
 *
 * @param <R> what it finds: a record, which goes into the report as it is
 */
public interface Measurement<R> {
    /** Returns the title for the progress display. */
    String title();

    /**
     * Measures, and leaves nothing behind.
     *
     * @throws RuntimeException if there is no result
     */
    R measure(MeasuredStrategy subject);
}
