// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

/** A load that grows. */
enum GrowthLoad {
    HELD("held", "Names held by one client"),
    WAITERS_OWN_NAMES("waiters-own-names", "Threads of one client that wait, each for a name of its own"),
    WAITERS_ONE_NAME("waiters-one-name", "Threads of one client that wait for the same name"),
    CLIENTS_OWN_NAMES("clients-own-names", "JVMs with one thread each, each with a name of its own"),
    CLIENTS_ONE_NAME("clients-one-name", "JVMs with one thread each on one name");

    private final String id;
    private final String title;

    GrowthLoad(String id, String title) {
        this.id = id;
        this.title = title;
    }

    String id() {
        return id;
    }

    String title() {
        return title;
    }
}
