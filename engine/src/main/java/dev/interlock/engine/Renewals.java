// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Extends the grants of live holders, each third of what they were given and many at a time. Safe to use from any thread. */
final class Renewals {
    private static final System.Logger LOG = System.getLogger(Renewals.class.getPackageName());

    /** How much too early a renewal may be sent to share a request with another. */
    private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int RETRIES_PER_LEASE = 10;

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Tenures tenures;
    private final DueWorker<Grant> worker;

    /** A renewal to be sent: a grant, and the claim with the lease to ask for. */
    private record Request(Grant grant, Claim claim) {}

    Renewals(Environment env, LeaseProtocol protocol, Tenures tenures) {
        this.env = env;
        this.protocol = protocol;
        this.tenures = tenures;
        this.worker = new DueWorker<>(env, "interlock-renewal", SLACK_NANOS, this::renew);
    }

    /** Plans the next renewal of a grant that has a new tenure; under the cell's mutex. */
    void plan(Grant grant) {
        planIn(grant, RENEWALS_PER_LEASE, env.nanoTime());
    }

    private void planIn(Grant grant, int timesPerLease, long sinceNanos) {
        forget(grant);
        Tenure tenure = grant.tenure;
        if (tenure != null && tenure.options.renewal() && !tenure.capped) {
            // What was granted to a waiter may be much less than its lease.
            long given = Math.min(tenure.options.lease().toNanos(), grant.validity.termNanos());
            grant.renewalEntry = worker.add(grant, sinceNanos + given / timesPerLease);
        }
    }

    /** Drops the next renewal of a grant; under the cell's mutex. */
    void forget(Grant grant) {
        if (grant.renewalEntry != null) {
            worker.remove(grant.renewalEntry);
            grant.renewalEntry = null;
        }
    }

    private void renew(List<Grant> due) {
        List<Request> requests = new ArrayList<>(due.size());
        for (Grant grant : due) {
            Request request = prepare(grant);
            if (request != null) {
                requests.add(request);
            }
        }
        if (!requests.isEmpty()) {
            Validity.Start start = Validity.Start.now(env);
            List<Renewal> answers = ask(requests.stream().map(Request::claim).toList());
            for (int i = 0; i < answers.size(); i++) {
                settleGuarded(requests.get(i), start, answers.get(i));
            }
        }
    }

    /** Lets no lock suffer from what another one runs into. */
    private void settleGuarded(Request request, Validity.Start start, Renewal answer) {
        try {
            settle(request, start, answer);
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "the renewal of lock \"" + request.claim.name() + "\" failed", e);
        }
    }

    private @Nullable Request prepare(Grant grant) {
        grant.cell.mutex.lock();
        try {
            Tenure tenure = grant.tenure;
            if (tenure == null || !tenure.options.renewal() || tenure.isAbandoned() || grant.validity.isOver(env)) {
                return null;
            }
            Duration lease = tenure.leaseToRenew();
            if (lease.isNegative() || lease.isZero()) {
                tenure.capped = true;
                return null;
            }
            forget(grant);
            grant.renewalBegins();
            return new Request(grant, grant.claim.withLease(lease));
        } finally {
            grant.cell.mutex.unlock();
        }
    }

    /** Extends the grant of a tenure now, on the caller's thread; returns {@code null} if the tenure is over. */
    @Nullable
    Renewal renewNow(Tenure tenure, Duration lease) {
        Grant grant = tenure.grant;
        grant.cell.mutex.lock();
        try {
            if (grant.tenure != tenure) {
                return null;
            }
            grant.renewalBegins();
        } finally {
            grant.cell.mutex.unlock();
        }
        Request request = new Request(grant, grant.claim.withLease(lease));
        Validity.Start start = Validity.Start.now(env);
        Renewal answer = Waiting.undisturbed(() -> ask(List.of(request.claim))).get(0);
        settle(request, start, answer);
        return answer;
    }

    private List<Renewal> ask(List<Claim> claims) {
        try {
            List<Renewal> answers = protocol.renew(claims);
            if (answers.size() == claims.size()) {
                return answers;
            }
            throw new IllegalStateException(answers.size() + " answers to " + claims.size() + " renewals");
        } catch (Throwable e) {
            LockBackendException cause =
                    new LockBackendException(Reason.OUTCOME_UNKNOWN, "the renewal failed unexpectedly", e);
            return claims.stream()
                    .<Renewal>map(claim -> new Renewal.Failed(cause))
                    .toList();
        }
    }

    private void settle(Request request, Validity.Start start, Renewal answer) {
        Grant grant = request.grant;
        if (answer instanceof Renewal.Lost lost) {
            // As if unanswered: a minority of the servers may still hold it, and is told.
            tenures.lose(grant, lost.cause());
            return;
        }
        grant.cell.mutex.lock();
        try {
            grant.renewalEnds();
            Tenure tenure = grant.tenure;
            if (tenure != null && grant.validity.isOver(env)) {
                // What is over stays over; the loss gives back what this renewal may have extended.
                tenures.expireSoon(grant);
            } else if (answer instanceof Renewal.Renewed renewed) {
                grant.cell.answered(env.nanoTime());
                grant.extend(start.plus(renewed.validity()));
                if (tenure != null && request.claim.lease().compareTo(tenure.options.lease()) < 0) {
                    tenure.capped = true;
                }
                planIn(grant, RENEWALS_PER_LEASE, start.nanos());
            } else {
                if (tenure != null) {
                    grant.renewalUnanswered = true;
                }
                planIn(grant, RETRIES_PER_LEASE, env.nanoTime());
            }
        } finally {
            grant.cell.mutex.unlock();
        }
        if (answer instanceof Renewal.Failed failed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the lease of lock \"" + grant.claim.name() + "\" could not be renewed, and ends unless a later try"
                            + " succeeds: " + failed.cause().getMessage());
        }
    }

    void close(Waiting waiting, long untilNanos) {
        worker.close(waiting, untilNanos);
    }
}
