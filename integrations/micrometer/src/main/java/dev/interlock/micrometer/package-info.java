// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics and observations of locks, by Micrometer: {@link dev.interlock.micrometer.LockMetrics} counts and measures
 * what the locks of a factory do, and {@link dev.interlock.micrometer.ObservedLocks} makes an observation, such as a
 * span of a trace, of each acquisition and each hold.
 */
@NullMarked
package dev.interlock.micrometer;

import org.jspecify.annotations.NullMarked;
