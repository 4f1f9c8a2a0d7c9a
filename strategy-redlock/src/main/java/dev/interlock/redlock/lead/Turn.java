// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.OwnerToken;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of one claim that waits, or that owns the root for which it waited. Safe to use from any thread: messages,
 * renewals and releases come from other threads than the waiting one.
 *
 * <p>A claim waits under another token than its own, since a request of an earlier round, or its release, may reach a
 * node late.
 */
public final class Turn {
    private static final int NOWHERE = -1;

    /**
     * The number of refusals that remains after a message has said that the lock was granted. The fewer, the sooner the
     * claim asks again.
     */
    private static final int FEW = 2;

    private final Claim claim;
    private final Duration grant;
    private int drawn;
    private Claim queued;
    private int lead = NOWHERE;
    private long since;
    private @Nullable LeadReply asked;
    private @Nullable PassMessage passed;
    private boolean told;
    private @Nullable Root root;
    private boolean releasing;
    private boolean overtaken;
    private int refusals;

    /**
     * Creates the turn of a claim that has no place in a queue yet.
     *
     * @param claim the claim
     * @param longestGrant the longest lease of what is granted to it while it waits
     */
    public Turn(Claim claim, Duration longestGrant) {
        this.claim = claim;
        this.grant = claim.lease().compareTo(longestGrant) < 0 ? claim.lease() : longestGrant;
        this.queued = withToken(claim, 1, grant);
        this.drawn = 1;
    }

    private static Claim withToken(Claim asking, int number, Duration lease) {
        return ofRoot(asking, asking.token() + "." + number, lease);
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
        return new Claim(
                claim.name(),
                new OwnerToken(root),
                lease,
                claim.timeout(),
                claim.fences(),
                claim.number(),
                claim.isWaiting(),
                claim.isRenewed());
    }

    /**
     * Returns the lease of what is granted to the claim while it waits.
     *
     * @return the lease of the claim, or less
     */
    public Duration grantLease() {
        return grant;
    }

    /**
     * Returns the claim.
     *
     * @return the claim as the engine made it
     */
    public Claim claim() {
        return claim;
    }

    /**
     * Returns the claim as it waits.
     *
     * @return the claim, under a token and with a lease of its own
     */
    public synchronized Claim queued() {
        return queued;
    }

    /**
     * Returns the claim for a round, under a token that was never used.
     *
     * @param asking the claim
     * @return the same claim otherwise
     */
    public synchronized Claim forRound(Claim asking) {
        return withToken(asking, ++drawn, asking.lease());
    }

    /** Draws a new token to wait with: the claim waits nowhere now, and messages to the old token are not for it. */
    synchronized void beginAnew() {
        root = null;
        passed = null;
        told = false;
        asked = null;
        lead = NOWHERE;
        since = 0;
        overtaken = false;
        queued = withToken(claim, ++drawn, grant);
    }

    /**
     * Draws a new token to wait with in the same place, since the lead has granted the lock to the old one while a
     * majority was held by another claim.
     *
     * @return the claim as it waits from now on
     */
    public synchronized Claim standBack() {
        passed = null;
        told = false;
        overtaken = true;
        queued = withToken(claim, ++drawn, grant);
        return queued;
    }

    /**
     * Notes that the claim is about to enter a queue. Its turn may come before the answer.
     *
     * @param node the lead
     */
    public synchronized void entering(int node) {
        lead = node;
    }

    /**
     * Returns where the claim waits.
     *
     * @return the lead, or a negative number if it waits nowhere
     */
    public synchronized int lead() {
        return lead;
    }

    /**
     * Returns since when the claim has its place.
     *
     * @return a moment by the clock of the lead in µs, or zero
     */
    public synchronized long since() {
        return since;
    }

    /**
     * Notes that the lead has answered.
     *
     * @param answered the question
     * @param drift by which part of a time clocks may differ
     * @return the question by which to convert what the lead says of times before: an earlier one if its clock was set
     *     back since
     */
    public synchronized LeadReply answered(LeadReply answered, double drift) {
        LeadReply before = asked;
        if (before == null || answered.micros() >= before.leastMicros(answered.answeredNanos(), drift)) {
            asked = answered;
            return answered;
        }
        return before;
    }

    /**
     * Notes that the lead has answered that the lock is taken.
     *
     * @param placed since when the claim has its place, or zero if it has none
     */
    public synchronized void refused(long placed) {
        overtaken = false;
        if (placed != 0) {
            since = placed;
        }
    }

    /**
     * Returns whether the claim should ask again soon: it waits nowhere, or for the release of a holder without the
     * lead, which the lead may not hear.
     *
     * @return whether not to rely on a message
     */
    public synchronized boolean asksSoon() {
        return lead == NOWHERE || overtaken;
    }

    /**
     * Notes that the claim was refused and asks again soon.
     *
     * @return how often that was so before
     */
    public synchronized int refusedSoon() {
        return refusals++;
    }

    /** Notes a message that the claim was granted the lock and should ask, if it still waits under that token. */
    synchronized void heardGrant(Claim waiting) {
        if (queued == waiting) {
            told = true;
            refusals = Math.min(refusals, FEW);
        }
    }

    /** Notes a message that the claim was passed a root, if it still waits under that token. */
    synchronized void heard(Claim waiting, PassMessage message) {
        if (queued == waiting) {
            passed = message;
            told = true;
        }
    }

    /** Returns whether a message has come, or the claim waits nowhere yet, so that it should ask. */
    synchronized boolean shouldAsk() {
        return lead == NOWHERE || told;
    }

    /**
     * Takes the message that has passed a root to the claim, which counts once.
     *
     * @return the message, or {@code null} if there is none
     */
    public synchronized @Nullable PassMessage takePassed() {
        PassMessage taken = passed;
        passed = null;
        told = false;
        return taken;
    }

    /**
     * Returns the last question that the lead has answered, or an earlier one if its clock was set back since.
     *
     * @return the question, or {@code null} if there is none since the claim waits there
     */
    public synchronized @Nullable LeadReply asked() {
        return asked;
    }

    /** Notes the root that the claim owns. */
    synchronized void own(Root owned) {
        root = owned;
    }

    /**
     * Returns the root that the claim owns.
     *
     * @return the root, or {@code null} if it owns none
     */
    public synchronized @Nullable Root root() {
        return root;
    }

    /**
     * Notes that the claim's root is about to be renewed.
     *
     * @param passable whether it may be passed on after that
     * @param end until when it is kept
     * @return the root, or {@code null} if the claim owns none any more
     */
    public synchronized @Nullable Root beginRenewal(boolean passable, long end) {
        if (root == null || releasing) {
            return null;
        }
        root = root.renewed(passable ? root.deadlineMicros() : 0, end);
        return root;
    }

    /**
     * Notes that the claim's root is about to be passed on or released, and is not renewed any more.
     *
     * @return the root, or {@code null} if the claim owns none
     */
    public synchronized @Nullable Root beginRelease() {
        releasing = true;
        return root;
    }

    /** Notes that the claim's root must not be passed on. */
    public synchronized void endPassing() {
        if (root != null) {
            root = root.notPassable();
        }
    }
}
