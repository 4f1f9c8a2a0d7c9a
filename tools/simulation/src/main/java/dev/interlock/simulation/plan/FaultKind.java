// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import dev.interlock.spi.Assumption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fault of clients, of the server, or of the requests and replies between them. */
public enum FaultKind {
    /** Messages of a client take longer, some longer than it waits for replies. */
    DELAY,
    /** The connections of a client break, and what is on the way does not arrive. */
    REQUEST_LOST,
    /** The connections of a client break, and requests on the way still arrive. */
    REPLY_LOST,
    /** A renewal arrives twice, the first copy late. */
    DUPLICATE,
    /** The subscription of a client breaks, which it notices late. */
    SUBSCRIPTION_CUT,
    /** A client stands still, and its clocks go on. */
    CLIENT_PAUSE,
    /** The machine of a client is suspended: its monotonic clock stands still. */
    SUSPEND,
    /** The wall clock of a client is set forward or back. */
    WALL_STEP(Assumption.CLIENT_CLOCKS_AGREE),
    /** A client dies, and sends nothing more. */
    CRASH,
    /** The server stands still. */
    SERVER_PAUSE,
    /** The server restarts with its data. */
    RESTART,
    /** A replica that has everything takes over. */
    FAILOVER,
    /** The server forgets all scripts. */
    SCRIPT_FLUSH,
    /** The server has reached its limit of memory for a while. */
    OUT_OF_MEMORY,
    /** The server's clock is set forward. */
    SERVER_STEP(Assumption.SERVER_CLOCK_STEADY),
    /** A client's clocks run much slower than the server's. */
    SLOW_CLOCK(Assumption.BOUNDED_CLOCK_RATES),
    /** A replica takes over that lacks the last writes. */
    FAILOVER_LOSS(Assumption.NO_FAILOVER),
    /** The server restarts without its data. */
    RESTART_EMPTY(Assumption.RESTART_KEEPS_DATA),
    /** The server evicts the key of a lock. */
    EVICTION(Assumption.NO_EVICTION),
    /** One of several servers loses all its keys while it runs, and the record of what it may have forgotten too. */
    FLUSH,
    /** The clock of one of several servers is set back. */
    SERVER_STEP_BACK,
    /** One of several servers ends for good, the same one in all faults of a plan. */
    SERVER_LOST,
    /** Servers are set back to an earlier state, of which nothing tells. */
    ROLLBACK(Assumption.NO_ROLLBACK),
    /** Most of the servers end for good. */
    MAJORITY_LOST(Assumption.MAJORITY_UP),
    /** A client names other servers than the others do. */
    OTHER_SERVERS(Assumption.SAME_SERVERS);

    private final @Nullable Assumption breaks;

    FaultKind() {
        this(null);
    }

    FaultKind(@Nullable Assumption breaks) {
        this.breaks = breaks;
    }

    /** The name by which it is counted and written. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether servers lose their last changes, so that these have to be remembered. */
    public boolean goesBack() {
        return this == FAILOVER_LOSS || this == ROLLBACK;
    }

    /** Returns whether servers may forget leases that are not over, unless they are assumed to keep their data. */
    public boolean forgets() {
        return this == RESTART_EMPTY || this == FLUSH || this == FAILOVER;
    }

    /** Returns whether it happens to one client, and not to the server or to all. */
    public boolean isOfAClient() {
        return switch (this) {
            case DELAY,
                    REQUEST_LOST,
                    REPLY_LOST,
                    DUPLICATE,
                    SUBSCRIPTION_CUT,
                    CLIENT_PAUSE,
                    SUSPEND,
                    WALL_STEP,
                    CRASH -> true;
            default -> false;
        };
    }

    /** Returns whether it happens only where several servers vote. */
    private boolean needsSeveralServers() {
        return switch (this) {
            case FLUSH, SERVER_STEP_BACK, SERVER_LOST, ROLLBACK, MAJORITY_LOST, OTHER_SERVERS -> true;
            default -> false;
        };
    }

    /** The assumption that it breaks, or empty if all locks have to stand it. */
    public Optional<Assumption> breaks() {
        return Optional.ofNullable(breaks);
    }

    /** Returns whether it breaks one of some assumptions. */
    public boolean breaksOneOf(Set<Assumption> some) {
        return breaks().map(some::contains).orElse(false);
    }

    /** Returns the faults that may happen to a strategy with the given assumptions, if some of these are dropped. */
    public static List<FaultKind> possible(Set<Assumption> assumed, Set<Assumption> dropped) {
        boolean several = assumed.contains(Assumption.MAJORITY_UP);
        boolean kept =
                assumed.contains(Assumption.RESTART_KEEPS_DATA) && !dropped.contains(Assumption.RESTART_KEEPS_DATA);
        return Arrays.stream(values())
                .filter(kind -> several || !kind.needsSeveralServers())
                .filter(kind -> !(kept && kind == FLUSH))
                .filter(kind -> !kind.breaksOneOf(assumed) || kind.breaksOneOf(dropped))
                .toList();
    }
}
