// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Renews the grants of live holders, after each third of their validity and many at a time. Safe to use from any
 * thread.
 */
final class Renewals {
    private static final QuietLog LOG = QuietLog.of(Renewals.class);

    private static final int MOST_IN_A_BATCH = 1_024;

    /** A renewal without an answer must leave time for another one before the lease ends. */
    private static final int TIMEOUTS_PER_LEASE = 3;

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

    private final Environment env;
    private final Observer observer;
    private final LeaseProtocol protocol;
    private final Lanes lanes;
    private final Losses losses;

    /**
     * A renewal: a grant, the claim with the lease to ask for, and the moment just before it is sent.
     *
     * @param extending whether to extend the grant; otherwise the renewal only checks that the lock is still held
     */
    record Request(Grant grant, Claim claim, boolean extending, long startNanos, long startMillis) {}

    /** The renewals that may share a request. */
    private record Batch(String lane, Duration timeout) {}

    /** A renewal that will be sent. */
    private record Planned(Grant grant, Claim claim) {}

    Renewals(Environment env, Observer observer, LeaseProtocol protocol, Lanes lanes, Losses losses) {
        this.env = env;
        this.observer = observer;
        this.protocol = protocol;
        this.lanes = lanes;
        this.losses = losses;
    }

    /** Handles grants whose timer has fired: ends those that are over, and renews those that are due. */
    void handle(List<Grant> due) {
        Map<Batch, List<Planned>> batches = new HashMap<>();
        for (Grant grant : due) {
            losses.expireIfOver(grant);
            plan(grant, batches);
        }
        batches.forEach((batch, planned) -> {
            for (int from = 0; from < planned.size(); from += MOST_IN_A_BATCH) {
                send(batch.lane, planned, from, Math.min(planned.size(), from + MOST_IN_A_BATCH));
            }
        });
    }

    /** Begins the renewal of a grant if it is due, and adds it to a request that it may share. */
    private void plan(Grant grant, Map<Batch, List<Planned>> batches) {
        Claim claim = null;
        try {
            claim = grant.cell.beginPlannedRenewal(grant);
            if (claim != null) {
                Claim timed = claim.withTimeout(timeout(claim));
                batches.computeIfAbsent(
                                new Batch(protocol.lane(claim.name()), timed.timeout()), batch -> new ArrayList<>())
                        .add(new Planned(grant, timed));
            }
        } catch (Throwable e) {
            fail(grant, claim, e);
        }
    }

    private void send(String lane, List<Planned> planned, int from, int to) {
        try {
            List<Planned> batch = planned.subList(from, to);
            lanes.run(lane, () -> send(batch));
        } catch (Throwable e) {
            failAll(planned, from, to, e);
        }
    }

    private void failAll(List<Planned> planned, int from, int to, Throwable failure) {
        for (int i = from; i < to; i++) {
            fail(planned.get(i).grant, planned.get(i).claim, failure);
        }
    }

    /**
     * Plans a retry of a renewal without a known outcome. Logs and drops any exception, so that the other renewals go
     * on.
     */
    private static void fail(Grant grant, @Nullable Claim begun, Throwable failure) {
        try {
            grant.cell.renewalFailed(grant, begun == null ? null : begun.lease());
            LOG.log(System.Logger.Level.ERROR, "the renewal of lock \"" + grant.cell.lockName() + "\" failed", failure);
        } catch (Throwable e) {
            // Logging fails too, but the retry is already planned.
        }
    }

    private static Duration timeout(Claim claim) {
        Duration part = claim.lease().dividedBy(TIMEOUTS_PER_LEASE);
        Duration timeout = part.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : part;
        return timeout.compareTo(claim.timeout()) < 0 ? timeout : claim.timeout();
    }

    private void send(List<Planned> batch) {
        List<Planned> over = new ArrayList<>();
        List<Request> requests = new ArrayList<>();
        List<Renewal> outcomes;
        try {
            long startNanos = env.nanoTime();
            long startMillis = env.currentTimeMillis();
            for (Planned planned : batch) {
                if (planned.grant.isOver(env)) {
                    over.add(planned);
                } else {
                    requests.add(new Request(planned.grant, planned.claim, true, startNanos, startMillis));
                }
            }
            outcomes = requests.isEmpty()
                    ? List.of()
                    : ask(requests.stream().map(Request::claim).toList());
        } catch (Throwable e) {
            failAll(batch, 0, batch.size(), e);
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            settleGuarded(requests.get(i), outcomes.get(i));
        }
        over.forEach(planned -> planned.grant.cell.renewalFailed(planned.grant, planned.claim.lease()));
    }

    /** Settles the renewal of one lock, and logs any exception, so that it does not stop the others. */
    private void settleGuarded(Request request, Renewal outcome) {
        try {
            settle(request, outcome);
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "the renewal of lock \"" + request.claim.lockName() + "\" failed", e);
            request.grant.cell.renewalFailed(request.grant, null);
        }
    }

    /**
     * Renews the grant of a hold now, on the caller's thread.
     *
     * @return the outcome, or {@code null} if the hold is over
     */
    @Nullable
    Renewal renewNow(Hold hold, Duration lease) {
        return renewNow(hold, lease, true);
    }

    /**
     * Asks the backend whether a hold still has the lock, on the caller's thread. With renewal this extends the grant
     * as well; without, its end stays where it is.
     *
     * @return the outcome, or {@code null} if the hold is over
     */
    @Nullable
    Renewal confirmNow(Hold hold) {
        Duration lease = hold.withinMaxHold(env, hold.options.lease());
        boolean extending = hold.options.renewal() && !lease.isNegative() && !lease.isZero();
        return renewNow(hold, extending ? lease : hold.grant.lifeLeft(env), extending);
    }

    private @Nullable Renewal renewNow(Hold hold, Duration lease, boolean extending) {
        Grant grant = hold.grant;
        if (!grant.cell.beginRenewal(hold)) {
            return null;
        }
        Request request;
        Renewal outcome;
        try {
            Claim claim = grant.claim.withLease(lease);
            request = new Request(grant, claim, extending, env.nanoTime(), env.currentTimeMillis());
            outcome = Wait.undisturbed(() -> ask(List.of(claim))).get(0);
        } catch (Throwable e) {
            grant.cell.renewalFailed(grant, lease);
            throw e;
        }
        settle(request, outcome);
        return outcome;
    }

    private List<Renewal> ask(List<Claim> claims) {
        try {
            List<Renewal> outcomes = protocol.renew(claims);
            if (outcomes.size() == claims.size()) {
                return outcomes;
            }
            throw new IllegalStateException(outcomes.size() + " outcomes of " + claims.size() + " renewals");
        } catch (Throwable e) {
            LockBackendException cause =
                    new LockBackendException(Reason.OUTCOME_UNKNOWN, "the renewal failed unexpectedly", e);
            return claims.stream()
                    .<Renewal>map(claim -> new Renewal.Failed(cause))
                    .toList();
        }
    }

    private void settle(Request request, Renewal outcome) {
        Grant grant = request.grant;
        if (outcome instanceof Renewal.Lost lost) {
            // Treated as unanswered: a minority of the servers may still hold the lock, and gets a release.
            losses.lose(grant, lost.cause());
            return;
        }
        grant.cell.endRenewal(request, outcome);
        if (outcome instanceof Renewal.Renewed) {
            grant.cell.answered();
            if (observer.isOn()) {
                observer.renewed(
                        grant.claim.lockName(),
                        env.nanoTime() - request.startNanos,
                        Duration.ofNanos(grant.remainingNanos(env)));
            }
        } else if (outcome instanceof Renewal.Failed failed) {
            if (observer.isOn()) {
                observer.renewalFailed(grant.claim.lockName(), failed.cause());
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the lease of lock \"" + grant.claim.lockName()
                            + "\" could not be renewed, and ends unless a later try" + " succeeds: "
                            + failed.cause().getMessage());
        }
    }
}
