// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

/** A figure of a row. Figures of servers are sums over all that carry out commands about locks. */
enum GrowthMetric {
    RATE("acquisitions/s"),
    COMMANDS_PER_SECOND("commands/s"),
    SERVER_CPU("server CPU, % of a core"),
    SERVER_MICROS_PER_COMMAND("server µs per command"),
    RENEWAL_MICROS("server µs per renewal"),
    WAITING_MICROS("server µs per waiter and minute"),
    PAIR_MICROS("server µs per pair"),
    HAND_OFF_MICROS("server µs per hand-off"),
    SERVER_BYTES("server bytes each"),
    SERVER_BYTES_LEFT("server bytes each, after release"),
    CONNECTIONS("connections per client and server"),
    CLIENT_CPU("client CPU ms/s"),
    CLIENT_BYTES("client heap bytes each"),
    THREADS("client threads"),
    ACQUIRE_P50("acquire p50 µs"),
    ACQUIRE_P99("acquire p99 µs"),
    HAND_OFF_P50("hand-off p50 µs"),
    HAND_OFF_P99("hand-off p99 µs"),
    LOST("locks lost");

    private final String title;

    GrowthMetric(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
