// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

/**
 * How much of one load servers can carry that have nothing else to do.
 *
 * @param load the load, with its unit
 * @param amount how much
 * @param limit the resource that ends first
 */
record Capacity(String load, double amount, String limit) {}
