// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import dev.interlock.Lease;

/**
 * A condition under which a strategy excludes two holders at once.
 *
 * <p>Where an assumption fails, two holders at once are possible; only {@linkplain Lease#fencingToken() fencing} at the
 * protected resource helps then. Constants may be added in later versions.
 */
public enum Assumption {
    /** The wall clocks of all clients agree to well within a lease. */
    CLIENT_CLOCKS_AGREE("the clients' wall clocks agree"),
    /** No server's wall clock is stepped forward, since servers expire keys by it. */
    SERVER_CLOCK_STEADY("the server's wall clock is not stepped"),
    /** Clocks of clients and servers run at rates that differ by less than the strategy's drift allowance. */
    BOUNDED_CLOCK_RATES("all clocks run at nearly the same rate"),
    /** No replica that lacks an acknowledged write is promoted to primary. */
    NO_FAILOVER("no failover loses an acknowledged write"),
    /** The server keeps lock keys while it runs: none is evicted, deleted or flushed. */
    NO_EVICTION("the server evicts no lock key"),
    /** A server that restarts has kept every write that it acknowledged. */
    RESTART_KEEPS_DATA("a restarted server has kept its data"),
    /**
     * No running server is rolled back to an earlier state of its memory, for example by a snapshot of its virtual
     * machine.
     */
    NO_ROLLBACK("no server is set back to an earlier state"),
    /** A majority of the servers can be reached. */
    MAJORITY_UP("a majority of the servers is up"),
    /** All clients name the same servers at any one time, also while a configuration is being rolled out. */
    SAME_SERVERS("all clients name the same servers");

    private final String summary;

    Assumption(String summary) {
        this.summary = summary;
    }

    /**
     * Returns a short description of the assumption.
     *
     * @return the assumption, for people
     */
    public String summary() {
        return summary;
    }
}
