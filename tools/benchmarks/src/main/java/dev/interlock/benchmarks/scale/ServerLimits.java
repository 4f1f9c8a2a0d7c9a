// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

/**
 * The resources that each server may use.
 *
 * @param cpuShare the share of the core that carries out its commands
 * @param bytes the memory for locks
 * @param connections the connections of clients
 */
record ServerLimits(double cpuShare, double bytes, double connections) {
    /** 70 % of a core, 8 GiB, and the default of {@code maxclients}. */
    static final ServerLimits USUAL = new ServerLimits(0.7, 8.0 * (1L << 30), 10_000);
}
