// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

/** A figure that is measured of a candidate. */
public enum Metric {
    PAIRS_PER_SECOND("pairs/s", true),
    TIMES_PLATFORM("× platform threads", true),
    ACQUIRED_PER_SECOND("acquired/s", true),
    HAND_OFFS_PER_SECOND("hand-offs/s", true),
    TIMES_HEALTHY("× p50 while all servers are well", false),
    P50_MICROS("p50 µs", false),
    P99_MICROS("p99 µs", false),
    COMMANDS("commands per acquisition", false),
    EXCEPTIONS("exceptions", false),
    REDIS_MICROS("Redis CPU µs per acquisition", false),
    CLIENT_MICROS("client CPU µs per acquisition", false),
    CPU_MICROS("CPU µs per acquisition, both", false),
    MOST_TO_LEAST("most/least per thread", false),
    MAX_MICROS("max µs", false),
    COMMANDS_PER_SECOND("commands/s", false),
    HOLDER_COMMANDS_PER_SECOND("commands/s of the holder", false),
    CARRIED_OUT_PER_SECOND("commands/s with those in scripts", false),
    CLIENT_MILLIS_PER_SECOND("client CPU ms/s", false),
    RENEWAL_COMMANDS("renewal commands per lock and period", false),
    CLIENT_SECONDS("client CPU s", false),
    HEAP_BYTES("heap bytes per lock", false),
    LOCKS_LOST("locks lost", false),
    LEFT_BEHIND("keys left behind", false),
    FIRST_LOCK_MILLIS("ms to the first lock", false),
    JARS("jars", false);

    private final String title;
    private final boolean moreIsBetter;

    Metric(String title, boolean moreIsBetter) {
        this.title = title;
        this.moreIsBetter = moreIsBetter;
    }

    public String title() {
        return title;
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }
}
