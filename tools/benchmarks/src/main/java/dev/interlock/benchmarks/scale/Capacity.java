// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

/**
 * The amount of one load that servers can carry if they have nothing else to do.
 *
 * @param load the load, with its unit
 * @param amount the amount
 * @param limit the resource that is exhausted first
 */
record Capacity(String load, double amount, String limit) {}
