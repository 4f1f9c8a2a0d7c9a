// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure that was measured several times.
 *
 * @param median the median
 * @param min the least
 * @param max the most
 */
record Interval(double median, double min, double max) {
    static <R> Interval of(List<R> runs, ToDoubleFunction<? super R> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Interval(median, sorted[0], sorted[sorted.length - 1]);
    }
}
