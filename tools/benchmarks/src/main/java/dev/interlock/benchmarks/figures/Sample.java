// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.Arrays;

/**
 * The values of one figure in all rounds.
 *
 * @param median the middle one
 * @param min the least
 * @param max the greatest
 */
public record Sample(double median, double min, double max) {
    public static Sample of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Sample(median, sorted[0], sorted[sorted.length - 1]);
    }
}
