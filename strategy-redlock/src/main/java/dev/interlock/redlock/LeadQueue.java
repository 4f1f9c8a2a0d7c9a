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
import dev.interlock.redlock.lead.Asked;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.redlock.lead.Passed;
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
 * Those who wait stand in a queue at one node, the lead of the lock, and the lock goes from one to the next without asking the other
 * nodes. Only order depends on the lead: a majority holds the token of the lock, its root, and each owner ends its time once, by
 * passing the root on or by releasing it. Safe to use from any thread.
 */
final class LeadQueue {
    /** With less than this left, a root is renewed before it is held. */
    private static final long LOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How soon whoever waits asks again at the latest, so that nobody waits for long behind one who was granted the lock and died. */
    private static final Duration ASK_AGAIN = Duration.ofMillis(1_400);

    /** How soon whoever waits nowhere asks again at the latest, at first; twice as late each time. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_DOUBLINGS = 7;

    private static final int FIRST = 1;
    private static final int HOP = 2;

    private final Environment env;
    private final Quorum quorum;
    private final Settings settings;
    private final Nodes nodes;
    private final Turns turns;
    private final LeadCalls calls;
    private final ContendedNames contended = new ContendedNames();

    /** What is done at all nodes. */
    interface Nodes {
        /** Asks all for a lock, or all but the lead, which has granted it. */
        Attempt round(Claim claim, int lead, AcquireRound.@Nullable LeadGrant grant);

        /** Releases a lock at all nodes. */
        Release release(Claim claim);

        /** The same, without waiting for them. */
        void releaseSoon(Claim claim);
    }

    LeadQueue(Environment env, Quorum quorum, Settings settings, Scripts scripts, Nodes nodes) {
        this.env = env;
        this.quorum = quorum;
        this.settings = settings;
        this.nodes = nodes;
        this.turns =
                new Turns(env, node -> quorum.get(node).node(), scripts.keys(), quorum::lead, settings.longestGrant());
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
        Duration latest = turn.lead() < 0 ? soon(turn) : ASK_AGAIN;
        Duration after = refused.retryAfter().orElse(latest);
        return after.compareTo(latest) < 0 ? refused : new Attempt.Refused(Optional.of(latest));
    }

    /** Nobody tells whoever waits nowhere, and those who stand in a queue are served meanwhile. */
    private Duration soon(Turn turn) {
        long longest = FIRST_PAUSE_NANOS << Math.min(turn.refusedNowhere(), MOST_DOUBLINGS);
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
        Passed passed = turn.takePassed();
        Asked asked = turn.asked();
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
        if (!(calls.ask(claim, turn, lead) instanceof Answer.Said said)) {
            calls.leaveSoon(turn);
            turns.waitAnew(turn);
            return roundInstead(claim, turn, began);
        }
        List<?> reply = (List<?>) said.value();
        Asked asked = new Asked(lead, began, wallMillis, epoch, LeadCalls.number(reply, 1), env.nanoTime());
        Asked reliable = turn.answered(asked, settings.drift());
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
        // The key has no end, or there is none: then so many were gone who waited that the rest has to be asked for.
        return new Attempt.Refused(left == -1 ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, left))));
    }

    /** Asks all nodes, as one who does not wait, since the lead will tell nothing. */
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

    /** The first hand-off: the key of the lead is the claim's already, and the others are to have the same. */
    private Attempt exchange(Claim claim, Turn turn, Asked asked, Answer.Said said, List<?> reply) {
        long left = LeadCalls.number(reply, 2);
        // Whoever found the lock free has it for the whole lease, with which it cannot be passed on.
        boolean whole = left > turn.grantLease().toMillis();
        Claim queued = whole ? turn.queued().withLease(claim.lease()) : turn.queued();
        long deadline = asked.micros()
                + TimeUnit.MILLISECONDS.toMicros(left)
                - TimeUnit.NANOSECONDS.toMicros(settings.driftNanos(queued.lease()));
        // The lease has begun at the lead and not before the question, and the drift is off already.
        long end = Math.min(
                asked.endNanos(deadline, 0, env),
                env.nanoTime() + queued.lease().toNanos());
        if (end - env.nanoTime() <= 0) {
            return tooLate(claim, turn, queued.token());
        }
        String predecessor = String.valueOf(reply.get(5));
        Claim exchanged = new Claim(
                queued.name(),
                queued.token(),
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
                        said, LeadCalls.number(reply, 3), predecessor.equals("-") ? "" : predecessor, end));
        if (!(attempt instanceof Attempt.Granted granted)) {
            // The round has released what it was given.
            turns.waitAnew(turn);
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

    private Attempt inherit(Claim claim, Turn turn, Asked asked, String token, int hop, long deadline, long fence) {
        // No clock of a lead that is set forward makes that more than a whole grant.
        long end = Math.min(
                asked.endNanos(deadline, settings.drift(), env),
                env.nanoTime() + settings.longestGrant().toNanos());
        return end - env.nanoTime() <= 0
                ? tooLate(claim, turn, token)
                : hold(claim, turn, newRoot(claim, token, asked.lead(), hop, deadline, fence, end));
    }

    /** The claim is the only owner of a root that it must not hold any more. */
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
        // Counted from now, since the attempt began before.
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

    /** Ends what a claim has here, and returns it as the nodes know it, for a release at all of them. */
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
            // From the sending on, this claim deletes nothing, unless it hears that nothing was passed.
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

    /** Whether somebody waited for a lock lately, as far as this client has seen. */
    boolean isContended(String name) {
        return contended.contains(name);
    }

    Watch watch(String name, Runnable onFreed) {
        return turns.watch(name, onFreed);
    }
}
