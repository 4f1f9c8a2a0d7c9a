// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Asks for several locks at once. If the request fails though the backend has answered before, asks once more within
 * the same time-out. Used by one thread, once.
 */
public final class JointRequest {
    private final Environment env;
    private final JointLeases protocol;
    private final SecondRequests secondRequests;
    private final Releases releases;
    private final Supplier<List<Claim>> newClaims;

    private List<Claim> claims = List.of();
    private long startNanos;
    private long startMillis;

    /**
     * @param newClaims makes fresh claims to the locks
     */
    public JointRequest(
            Environment env,
            JointLeases protocol,
            SecondRequests secondRequests,
            Releases releases,
            Supplier<List<Claim>> newClaims) {
        this.env = env;
        this.protocol = protocol;
        this.secondRequests = secondRequests;
        this.releases = releases;
        this.newClaims = newClaims;
    }

    /**
     * Asks. What a request without an answer may have taken is given back in the background.
     *
     * @param open whether the factory is open
     */
    public JointLeases.Taking ask(BooleanSupplier open) {
        claims = newClaims.get();
        Claim first = claims.get(0);
        JointLeases.Taking taking = request(first.timeout());
        if (!(taking instanceof JointLeases.Taking.Failed failed)) {
            return taking;
        }
        Duration left = secondRequests.leftToAskAgain(first.name(), failed.cause(), startNanos, first.timeout());
        if (left.isZero() || !open.getAsBoolean()) {
            return failed;
        }
        claims = newClaims.get();
        JointLeases.Taking again = request(left);
        if (again instanceof JointLeases.Taking.Failed) {
            secondRequests.failedAgain(first.name());
        }
        // A refusal counts only if the first request was certainly not carried out: it may be due to what that has
        // taken.
        return again instanceof JointLeases.Taking.Granted || failed.cause().reason() != Reason.OUTCOME_UNKNOWN
                ? again
                : failed;
    }

    private JointLeases.Taking request(Duration timeout) {
        startNanos = env.nanoTime();
        startMillis = env.currentTimeMillis();
        boolean unknown = true;
        try {
            JointLeases.Taking taking = protocol.takeTogether(
                    claims.stream().map(claim -> claim.withTimeout(timeout)).toList());
            if (taking instanceof JointLeases.Taking.Granted granted && isTooLate(granted)) {
                taking = new JointLeases.Taking.Failed(
                        new LockBackendException(
                                Reason.OUTCOME_UNKNOWN,
                                "locks " + claims.stream().map(Claim::name).toList()
                                        + " were granted, but their lease of "
                                        + claims.get(0).lease()
                                        + " was over before the answer was here: the backend or this process is too slow for it"));
            }
            unknown = taking instanceof JointLeases.Taking.Failed failed
                    && failed.cause().reason() == Reason.OUTCOME_UNKNOWN;
            return taking;
        } finally {
            if (unknown) {
                claims.forEach(releases::afterUnknownOutcome);
            }
        }
    }

    private boolean isTooLate(JointLeases.Taking.Granted granted) {
        for (Attempt.Granted grant : granted.grants()) {
            if (grant.validity().minusNanos(env.nanoTime() - startNanos).isNegative()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the claims of the last request, in the order of the locks. */
    public List<Claim> claims() {
        return claims;
    }

    /** Returns when the last request was sent, on the monotonic clock. */
    public long startNanos() {
        return startNanos;
    }

    /** Returns when the last request was sent, on the wall clock. */
    public long startMillis() {
        return startMillis;
    }
}
