// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One claim that waits, or holds what it has waited for. Its thread changes it; messages come from another one.
 *
 * <p>It waits under other tokens than that of the claim: a request of an earlier round, or what undoes it, may reach a node late.
 */
public final class Turn {
    /** The longest lease of a lock that is granted to a waiter of whom nobody knows whether it is still awake. */
    public static final Duration LONGEST_GRANT = Duration.ofSeconds(2);

    private static final int NOWHERE = -1;

    private final Claim claim;
    private int drawn;
    private volatile Claim queued;
    private volatile int lead = NOWHERE;
    private long since;
    private volatile @Nullable Asked asked;
    private volatile @Nullable Passed passed;
    private volatile boolean told;
    private volatile @Nullable Root root;

    /**
     * Creates the turn of a claim, which waits nowhere.
     *
     * @param claim the claim
     */
    public Turn(Claim claim) {
        this.claim = claim;
        this.queued = drawToken(claim);
    }

    private Claim drawToken(Claim asking) {
        return with(asking, claim.token() + "." + ++drawn, grantLease(asking), asking.fences());
    }

    private static Claim with(Claim claim, String token, Duration lease, int fences) {
        return new Claim(
                claim.name(),
                token,
                lease,
                claim.timeout(),
                fences,
                claim.number(),
                claim.isWaiting(),
                claim.isRenewed());
    }

    /**
     * Returns a claim for a root.
     *
     * @param claim the claim of its owner
     * @param root the token
     * @param lease for how long
     * @return the same claim otherwise
     */
    public static Claim ofRoot(Claim claim, String root, Duration lease) {
        return with(claim, root, lease, claim.fences());
    }

    /**
     * Returns the lease of what is granted to a claim that waits.
     *
     * @param claim the claim
     * @return its lease, or less
     */
    public static Duration grantLease(Claim claim) {
        return claim.lease().compareTo(LONGEST_GRANT) < 0 ? claim.lease() : LONGEST_GRANT;
    }

    /**
     * Returns the claim as it waits.
     *
     * @return the claim, under a token and with a lease of its own
     */
    public Claim queued() {
        return queued;
    }

    /**
     * Returns the claim for a round, under a token that was never used.
     *
     * @param asking the claim
     * @return the same claim otherwise
     */
    public Claim forRound(Claim asking) {
        return with(asking, claim.token() + "." + ++drawn, asking.lease(), asking.fences());
    }

    /** Draws another token to wait with: the claim waits nowhere now. */
    public void beginAnew() {
        passed = null;
        told = false;
        asked = null;
        lead = NOWHERE;
        since = 0;
        queued = drawToken(claim);
    }

    /**
     * Notes that the claim is about to be entered in a queue, since its turn may come before the answer.
     *
     * @param node the lead
     */
    public void entering(int node) {
        lead = node;
    }

    /**
     * Returns where the claim waits.
     *
     * @return the lead, or a negative number if it waits nowhere
     */
    public int lead() {
        return lead;
    }

    /**
     * Returns since when the claim has its place.
     *
     * @return a moment by the clock of the lead in µs, or zero
     */
    public long since() {
        return since;
    }

    /**
     * Notes that the lead has answered that the lock is taken.
     *
     * @param answered the question
     * @param placed since when the claim has its place, or zero if it has none
     */
    public void refused(Asked answered, long placed) {
        asked = answered;
        if (placed != 0) {
            since = placed;
        }
    }

    /** Notes a message that the claim was granted something, to be asked for. */
    public void heardGrant() {
        told = true;
    }

    /**
     * Notes a message that the claim was passed a root.
     *
     * @param message what it says
     */
    public void heard(Passed message) {
        passed = message;
        told = true;
    }

    /**
     * Tells whether a message has come, or the claim waits nowhere yet, so that it should ask.
     *
     * @return whether there is something to ask for
     */
    public boolean shouldAsk() {
        return lead == NOWHERE || told;
    }

    /**
     * Takes the message that has passed a root to the claim, which counts once.
     *
     * @return the message, or {@code null} if there is none
     */
    public @Nullable Passed takePassed() {
        Passed taken = passed;
        passed = null;
        told = false;
        return taken;
    }

    /**
     * Returns the last question that the lead has answered.
     *
     * @return the question, or {@code null} if there is none since the claim waits there
     */
    public @Nullable Asked asked() {
        return asked;
    }

    /**
     * Notes what the claim owns, or {@code null} if that is over.
     *
     * @param owned the root
     */
    public void own(@Nullable Root owned) {
        root = owned;
    }

    /**
     * Returns what the claim owns.
     *
     * @return the root, or {@code null} if it owns none
     */
    public @Nullable Root root() {
        return root;
    }

    /**
     * Returns the claim.
     *
     * @return the claim as the engine made it
     */
    public Claim claim() {
        return claim;
    }
}
