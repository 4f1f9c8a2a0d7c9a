// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

/** The way in which a client of another make, left to itself, learns that a lock of ours was released. */
enum WakeUp {
    POLLS("run, polls", 5),
    /** It asks twice, and then sleeps until it is told of a release. */
    TOLD("run, told with wire-announce", 2),
    NEVER_WAITS("not offered", 0);

    final String cell;

    /** How often it has asked before it is known to wait in this way. */
    final int asks;

    WakeUp(String cell, int asks) {
        this.cell = cell;
        this.asks = asks;
    }
}
