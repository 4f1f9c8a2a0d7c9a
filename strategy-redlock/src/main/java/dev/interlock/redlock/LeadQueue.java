// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.waiting.ChannelState;
import dev.interlock.redis.waiting.ContendedNames;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.lead.LeadReply;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.redlock.lead.PassMessage;
import dev.interlock.redlock.lead.Root;
import dev.interlock.redlock.lead.Turn;
import dev.interlock.redlock.lead.Turns;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue of the waiters, which one node keeps: the lead of the lock. The lock passes from one waiter to the next
 * without asking the other nodes. Only the order depends on the lead: a majority holds the token of the lock, its root,
 * and each owner ends its hold exactly once, by passing the root on or by releasing it. Safe to use from any thread.
 */
final class LeadQueue {
    /** A root whose remaining time is less than this is renewed before it is held. */
    private static final long LOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The longest time until a waiter asks again, so that nobody waits long behind a client that was granted the lock
     * and died.
     */
    private static final Duration ASK_AGAIN = Duration.ofMillis(1_400);

    /** The same where the holder may be a foreign one, whose release wakes nobody. */
    private static final Duration ASK_AGAIN_BEHIND_OTHERS = Duration.ofMillis(200);

    /**
     * The longest pause before a waiter that is not surely woken asks again for the first time; it doubles each time.
     */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_DOUBLINGS = 7;

    private static final int FIRST = 1;
    private static final int HOP = 2;

    private final Duration askAgain;
    private final Environment env;
    private final Quorum quorum;
    private final Settings settings;
    private final Nodes nodes;
    private final Turns turns;
    private final LeadCalls calls;
    private final ContendedNames contended = new ContendedNames();

    /** Operations at all nodes. */
    interface Nodes {
        /** Asks all nodes for a lock, or all but the lead if the lead has granted it. */
        Attempt round(Claim claim, int lead, AcquireRound.@Nullable LeadGrant grant);

        /** Releases a lock at all nodes. */
        Release release(Claim claim);

        /** Releases a lock at all nodes, without waiting for them. */
        void releaseSoon(Claim claim);
    }

    LeadQueue(Environment env, Quorum quorum, Settings settings, Scripts scripts, Nodes nodes) {
        this.env = env;
        this.quorum = quorum;
        this.settings = settings;
        this.nodes = nodes;
        this.turns =
                new Turns(env, node -> quorum.get(node).node(), scripts.keys(), quorum::lead, settings.longestGrant());
        this.askAgain = settings.wire().isPlain() ? ASK_AGAIN_BEHIND_OTHERS : ASK_AGAIN;
        this.calls = new LeadCalls(
                env,
                quorum,
                settings,
                scripts,
                turns,
                (claim, root) -> nodes.releaseSoon(Turn.ofRoot(claim, root, settings.longestGrant())));
        quorum.onChange(turns::askAll);
    }

    Attempt attempt(Claim claim) {
        Turn turn = turns.find(claim);
        if (turn == null) {
            if (!claim.isWaiting() || !contended.contains(claim.name())) {
                return firstRound(claim);
            }
            turn = turns.begin(claim);
        }
        Attempt attempt = takeTurn(claim, turn);
        if (attempt instanceof Attempt.Failed) {
            calls.leaveSoon(turn);
            turns.remove(claim);
        }
        return attempt instanceof Attempt.Refused refused ? askAgain(refused, turn) : attempt;
    }

    private Attempt askAgain(Attempt.Refused refused, Turn turn) {
        Duration latest = turn.asksSoon() ? soon(turn) : askAgain;
        Duration after = refused.retryAfter().orElse(latest);
        return after.compareTo(latest) < 0 ? refused : new Attempt.Refused(Optional.of(latest));
    }

    /** A waiter that is not surely woken asks again soon, since others are served meanwhile. */
    private Duration soon(Turn turn) {
        long longest = FIRST_PAUSE_NANOS << Math.min(turn.refusedSoon(), MOST_DOUBLINGS);
        return Duration.ofNanos(env.nextLong(longest));
    }

    private Attempt firstRound(Claim claim) {
        Attempt attempt = nodes.round(claim, quorum.lead(claim.name()), null);
        if (attempt instanceof Attempt.Refused && claim.isWaiting()) {
            contended.add(claim.name());
            turns.begin(claim);
            turns.hurry(claim.name());
        }
        return attempt;
    }

    private Attempt takeTurn(Claim claim, Turn turn) {
        long began = env.nanoTime();
        PassMessage passed = turn.takePassed();
        LeadReply asked = turn.asked();
        if (passed != null && asked != null && asked.epoch() == passed.epoch()) {
            String token = turns.root(claim.name(), passed);
            if (token != null) {
                return inherit(claim, turn, asked, token, passed.hop(), passed.deadlineMicros(), passed.firstFence());
            }
        }
        int lead = turn.lead() >= 0 && quorum.mayLead(turn.lead()) ? turn.lead() : quorum.lead(claim.name());
        if (turn.lead() >= 0 && turn.lead() != lead) {
            calls.leaveSoon(turn);
            turns.waitAnew(turn);
        }
        ChannelState listening = turns.listen(lead, claim.name());
        return listening.isBegun() ? ask(claim, turn, lead, listening) : roundInstead(claim, turn, began);
    }

    private Attempt ask(Claim claim, Turn turn, int lead, ChannelState listening) {
        long began = env.nanoTime();
        long wallMillis = env.currentTimeMillis();
        int epoch = listening.epoch();
        Answer answer = calls.ask(claim, turn, lead);
        if (!(answer instanceof Answer.Said said)) {
            if (answer instanceof Answer.Failed failed && failed.isFromServer()) {
                quorum.get(lead).noteQueueRefused();
            }
            calls.leaveSoon(turn);
            turns.waitAnew(turn);
            return roundInstead(claim, turn, began);
        }
        List<?> reply = (List<?>) said.value();
        LeadReply asked = new LeadReply(lead, began, wallMillis, epoch, LeadCalls.number(reply, 1), env.nanoTime());
        LeadReply reliable = turn.answered(asked, settings.drift());
        int state = (int) LeadCalls.number(reply, 0);
        if (state == FIRST) {
            return exchange(claim, turn, asked, said, reply);
        }
        if (state == HOP) {
            return inherit(
                    claim,
                    turn,
                    reliable,
                    (String) Objects.requireNonNull(reply.get(5)),
                    (int) LeadCalls.number(reply, 2),
                    LeadCalls.number(reply, 3),
                    LeadCalls.number(reply, 4));
        }
        long placed = LeadCalls.number(reply, 3);
        listening.reachable(placed != 0);
        turn.refused(placed);
        contended.add(claim.name());
        if (placed == 0) {
            return roundInstead(claim, turn, began);
        }
        long left = LeadCalls.number(reply, 2);
        // Either the key has no expiry, or there is no key: then the script passed over so many waiters that had gone
        // that it must be called again.
        return new Attempt.Refused(left == -1 ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, left))));
    }

    /** Asks all nodes, like an attempt that does not wait, since the lead does not answer. */
    private Attempt roundInstead(Claim claim, Turn turn, long beganNanos) {
        long left =
                Math.max(TimeUnit.MILLISECONDS.toNanos(1), claim.timeout().toNanos() - (env.nanoTime() - beganNanos));
        Claim asking = turn.forRound(claim.withTimeout(Duration.ofNanos(left)));
        Attempt attempt = nodes.round(asking, quorum.lead(claim.name()), null);
        if (attempt instanceof Attempt.Granted granted) {
            calls.leaveSoon(turn);
            long fence = granted.firstFence().orElse(0);
            long end = beganNanos + granted.validity().toNanos();
            turns.own(turn, new Root(asking.token(), turn.lead(), 0, 0, fence, 0, end));
        }
        return attempt;
    }

    /**
     * The first hand-off: the key at the lead belongs to the claim already, and the other nodes must get the same key.
     */
    private Attempt exchange(Claim claim, Turn turn, LeadReply asked, Answer.Said said, List<?> reply) {
        long left = LeadCalls.number(reply, 2);
        // A claim that found the lock free has it for the whole lease, and a root with that lease cannot be passed on.
        boolean whole = left > turn.grantLease().toMillis();
        Claim queued = whole ? turn.queued().withLease(claim.lease()) : turn.queued();
        long deadline = asked.micros()
                + TimeUnit.MILLISECONDS.toMicros(left)
                - TimeUnit.NANOSECONDS.toMicros(settings.driftNanos(queued.lease()));
        // The lease began at the lead, not before the question was sent, and the drift is already subtracted.
        long end = Math.min(
                asked.endNanos(deadline, 0, env),
                env.nanoTime() + queued.lease().toNanos());
        if (end - env.nanoTime() <= 0) {
            return tooLate(claim, turn, queued.token());
        }
        String predecessor = String.valueOf(reply.get(5));
        Claim exchanged = new Claim(
                queued.name(),
                queued.owner(),
                queued.lease(),
                claim.timeout(),
                LeadScripts.block(queued),
                queued.number(),
                queued.isWaiting(),
                queued.isRenewed());
        Attempt attempt = nodes.round(
                exchanged,
                asked.lead(),
                new AcquireRound.LeadGrant(
                        said,
                        LeadCalls.number(reply, 3),
                        predecessor.equals("-") ? "" : predecessor,
                        end,
                        () -> calls.standBack(turn)));
        if (!(attempt instanceof Attempt.Granted granted)) {
            // The round has released its grants, or the claim has gone back to its place.
            if (turn.queued().token().equals(queued.token())) {
                turns.waitAnew(turn);
            }
            return attempt;
        }
        return hold(
                claim,
                turn,
                newRoot(
                        claim,
                        queued.token(),
                        asked.lead(),
                        0,
                        whole ? 0 : deadline,
                        granted.firstFence().orElse(0),
                        end));
    }

    private static Root newRoot(Claim claim, String token, int lead, int hop, long deadline, long fence, long end) {
        return new Root(token, lead, hop, deadline, fence, fence == 0 ? 0 : fence + claim.fences(), end);
    }

    private Attempt inherit(Claim claim, Turn turn, LeadReply asked, String token, int hop, long deadline, long fence) {
        // Bounded by a whole grant, in case the clock of the lead was set forward.
        long end = Math.min(
                asked.endNanos(deadline, settings.drift(), env),
                env.nanoTime() + settings.longestGrant().toNanos());
        return end - env.nanoTime() <= 0
                ? tooLate(claim, turn, token)
                : hold(claim, turn, newRoot(claim, token, asked.lead(), hop, deadline, fence, end));
    }

    /** The claim is the only owner of the root, and must not hold it any more. */
    private Attempt tooLate(Claim claim, Turn turn, String token) {
        nodes.releaseSoon(Turn.ofRoot(claim, token, turn.grantLease()));
        turns.waitAnew(turn);
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    private Attempt hold(Claim claim, Turn turn, Root root) {
        long began = env.nanoTime();
        boolean whole = root.endNanos() - began <= turn.grantLease().toNanos()
                && claim.lease().compareTo(turn.grantLease()) > 0
                && (!claim.isRenewed() || settings.minValidity().toNanos() >= LOW_NANOS / 2);
        Duration lease = whole ? claim.lease() : turn.grantLease();
        Root owned = root;
        if (whole || root.endNanos() - began < Math.min(LOW_NANOS, lease.toNanos() / 2)) {
            Root renewed = calls.renew(claim, root, lease);
            if (whole && renewed == null) {
                return tooLate(claim, turn, root.token());
            }
            owned = renewed == null ? root : renewed;
        }
        if (owned.endNanos() - env.nanoTime() <= settings.minValidity().toNanos()) {
            return tooLate(claim, turn, root.token());
        }
        turns.own(turn, owned);
        contended.add(claim.name());
        // Counted from now, which is later than the beginning of the attempt.
        return new Attempt.Granted(
                Duration.ofNanos(Math.min(owned.endNanos() - began, settings.validityNanos(claim.lease()))),
                root.firstFence() == 0 ? OptionalLong.empty() : OptionalLong.of(root.firstFence()));
    }

    /** Returns a claim as the nodes know it, for a renewal that is about to be sent. */
    Claim renewed(Claim claim) {
        Turn turn = turns.find(claim);
        Root root = turn == null
                ? null
                : turn.beginRenewal(
                        claim.lease().compareTo(settings.longestGrant()) <= 0,
                        env.nanoTime() + claim.lease().toNanos());
        return root == null ? claim : Turn.ofRoot(claim, root.token(), claim.lease());
    }

    /** Removes the state of a claim here, and returns the claim as the nodes know it, for a release at all nodes. */
    Claim removed(Claim claim) {
        Turn turn = turns.remove(claim);
        Root root = turn == null ? null : turn.beginRelease();
        return root == null ? claim : Turn.ofRoot(claim, root.token(), claim.lease());
    }

    Release release(Claim claim) {
        Turn turn = turns.find(claim);
        if (turn == null) {
            return releaseEverywhere(claim);
        }
        Root root = turn.beginRelease();
        if (root == null) {
            turns.remove(claim);
            calls.leave(claim, turn);
            return new Release.Freed(true);
        }
        if (root.isPassable(env.nanoTime()) && quorum.mayLead(root.lead())) {
            // Once the request is sent, this claim must not delete the key, unless the lead says that nothing was
            // passed on.
            turns.remove(claim);
            if (calls.pass(claim, turn, root) != LeadCalls.Passing.REFUSED) {
                return new Release.Freed(true);
            }
            turns.restore(turn);
        }
        turn.endPassing();
        Release release = releaseEverywhere(Turn.ofRoot(claim, root.token(), claim.lease()));
        turns.remove(claim);
        return release;
    }

    private Release releaseEverywhere(Claim claim) {
        Release release = nodes.release(claim);
        if (release instanceof Release.Freed freed) {
            if (freed.othersMayWait()) {
                contended.add(claim.name());
            } else {
                contended.remove(claim.name());
            }
        }
        return release;
    }

    /** Returns whether this client has seen waiters for a lock lately. */
    boolean isContended(String name) {
        return contended.contains(name);
    }

    Watch watch(String name, Runnable onFreed) {
        return turns.watch(name, onFreed);
    }
}
