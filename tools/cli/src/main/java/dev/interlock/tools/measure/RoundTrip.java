// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

/**
 * The cost of a lock over a network.
 *
 * @param millis the round trip that a proxy adds, in milliseconds
 * @param uncontended the cost of an uncontended lock
 * @param contended what contenders achieve
 */
public record RoundTrip(double millis, UncontendedPair.Result uncontended, Contention.Result contended) {}
