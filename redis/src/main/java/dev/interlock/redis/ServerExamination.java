// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Examines whether a server can keep locks. A problem that makes that impossible is thrown as an exception; a problem
 * that makes it unsafe is logged as a warning, once for each process of the server. Safe to use from any thread.
 */
public final class ServerExamination {
    private static final System.Logger LOG = System.getLogger(ServerExamination.class.getName());
    private static final int LEAST_VERSION = 7;

    /** Synchronized clocks differ by less than this. */
    private static final Duration FAR_OFF = Duration.ofSeconds(10);

    private final String server;
    private final AtomicReference<String> warnedOf = new AtomicReference<>("");

    /**
     * Creates an examination of one server.
     *
     * @param server what it is called in messages
     */
    public ServerExamination(String server) {
        this.server = server;
    }

    /**
     * Examines a server.
     *
     * @param info what it says about itself
     * @param asked when it was asked, by this machine's clock
     * @param answered when it had answered
     * @throws LockBackendException {@code REFUSED} if it is of a kind or version that cannot keep locks,
     *     {@code UNREACHABLE} if it is a replica now
     */
    public void examine(ServerInfo info, Instant asked, Instant answered) {
        if (info.majorVersion().isPresent() && info.majorVersion().getAsInt() < LEAST_VERSION) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    server + " is Redis " + info.version().orElse("?") + ", which is too old: use version "
                            + LEAST_VERSION + ".0 or newer, or a compatible server");
        }
        String mode = info.mode().orElse("");
        if (mode.equals("sentinel")) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    server + " is a Sentinel, which keeps no locks: give the address of the primary that it watches");
        }
        if (info.primary().isPresent()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    server + " is a replica of " + info.primary().get()
                            + " and takes no locks: give the address of the primary");
        }
        String process = info.runId().orElse("?");
        if (process.equals(warnedOf.getAndSet(process))) {
            return;
        }
        if (mode.equals("cluster")) {
            warn("is a node of a cluster, and this endpoint leads to that node alone: locks whose names belong to other"
                    + " nodes fail with MOVED");
        }
        info.evicts()
                .ifPresent(policy -> warn("has a maxmemory limit and the policy " + policy
                        + ", by which it may delete locks that are held: set maxmemory-policy noeviction"));
        info.clock()
                .flatMap(clock -> difference(clock, asked, answered))
                .ifPresent(it -> warn(it
                        + " this machine's clock: synchronize both, since fencing tokens and timestamps are made from the"
                        + " time"));
    }

    /** Describes the clock skew, if it is large. */
    private static Optional<String> difference(Instant clock, Instant asked, Instant answered) {
        Duration behind = Duration.between(clock, asked);
        Duration ahead = Duration.between(answered, clock);
        if (behind.compareTo(FAR_OFF) > 0) {
            return Optional.of("has a clock that is " + behind.toSeconds() + " s behind");
        }
        return ahead.compareTo(FAR_OFF) > 0
                ? Optional.of("has a clock that is " + ahead.toSeconds() + " s ahead of")
                : Optional.empty();
    }

    private void warn(String what) {
        LOG.log(Level.WARNING, server + " " + what);
    }
}
