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

    LeadQueue(
            Environment env,
            Quorum quorum,
            Settings settings,
            Scripts scripts,
            Nodes nodes,
            List<RedlockProtocol.Server> servers) {
        this.env = env;
        this.quorum = quorum;
        this.settings = settings;
        this.nodes = nodes;
        this.turns = new Turns(
                env, servers.stream().map(RedlockProtocol.Server::node).toList(), scripts.keys(), this::lead);
        this.calls = new LeadCalls(env, quorum, settings, scripts, turns);
    }

    /** The lead of a lock if all nodes vote. */
    static int home(String name, int nodes) {
        int hash = name.hashCode();
        return Math.floorMod(hash ^ hash >>> 16, nodes);
    }

    /** The next one that votes. */
    private int lead(String name) {
        int first = home(name, quorum.size());
        for (int i = 0; i < quorum.size(); i++) {
            int node = (first + i) % quorum.size();
            if (votes(node)) {
                return node;
            }
        }
        return first;
    }

    private boolean votes(int node) {
        Session session = quorum.get(node).line().session();
        long now = env.nanoTime();
        return session != null
                && !session.hasSuccessor()
                && !session.isShed(now)
                && session.asideNanos(Request.Kind.VOTE, now) <= 0;
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
        return attempt;
    }

    private Attempt firstRound(Claim claim) {
        Attempt attempt = nodes.round(claim, lead(claim.name()), null);
        if (attempt instanceof Attempt.Refused && claim.isWaiting()) {
            contended.add(claim.name());
            turns.begin(claim);
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
        int lead = turn.lead() >= 0 && votes(turn.lead()) ? turn.lead() : lead(claim.name());
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
        Asked asked = new Asked(lead, began, wallMillis, epoch, LeadCalls.number(reply, 1));
        int state = (int) LeadCalls.number(reply, 0);
        if (state == FIRST) {
            return exchange(claim, turn, asked, said, reply);
        }
        if (state == HOP) {
            return inherit(
                    claim,
                    turn,
                    asked,
                    (String) Objects.requireNonNull(reply.get(5)),
                    (int) LeadCalls.number(reply, 2),
                    LeadCalls.number(reply, 3),
                    LeadCalls.number(reply, 4));
        }
        long placed = LeadCalls.number(reply, 3);
        listening.reachable(placed != 0);
        turn.refused(asked, placed);
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
        Attempt attempt = nodes.round(asking, lead(claim.name()), null);
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
        Claim queued = turn.queued();
        long deadline = asked.micros()
                + TimeUnit.MILLISECONDS.toMicros(LeadCalls.number(reply, 2))
                - TimeUnit.NANOSECONDS.toMicros(settings.driftNanos(queued.lease()));
        long end = asked.endNanos(deadline, settings.drift(), env);
        if (isTooLate(end)) {
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
                        deadline,
                        granted.firstFence().orElse(0),
                        end));
    }

    private static Root newRoot(Claim claim, String token, int lead, int hop, long deadline, long fence, long end) {
        return new Root(token, lead, hop, deadline, fence, fence == 0 ? 0 : fence + claim.fences(), end);
    }

    private Attempt inherit(Claim claim, Turn turn, Asked asked, String token, int hop, long deadline, long fence) {
        long end = asked.endNanos(deadline, settings.drift(), env);
        return isTooLate(end)
                ? tooLate(claim, turn, token)
                : hold(claim, turn, newRoot(claim, token, asked.lead(), hop, deadline, fence, end));
    }

    private boolean isTooLate(long endNanos) {
        return endNanos - env.nanoTime() <= settings.minValidity().toNanos();
    }

    /** The claim is the only owner of a root that it must not hold any more. */
    private Attempt tooLate(Claim claim, Turn turn, String token) {
        nodes.releaseSoon(Turn.ofRoot(claim, token, Turn.grantLease(claim)));
        turns.waitAnew(turn);
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    private Attempt hold(Claim claim, Turn turn, Root root) {
        long began = env.nanoTime();
        boolean whole = !claim.isRenewed() && claim.lease().compareTo(Turn.LONGEST_GRANT) > 0;
        Duration lease = whole ? claim.lease() : Turn.grantLease(claim);
        Root owned = root;
        if (whole || root.endNanos() - began < Math.min(LOW_NANOS, lease.toNanos() / 2)) {
            Root renewed = calls.renew(claim, root, lease);
            if (whole && renewed == null) {
                return tooLate(claim, turn, root.token());
            }
            owned = renewed == null ? root : renewed;
        }
        if (isTooLate(owned.endNanos())) {
            return tooLate(claim, turn, root.token());
        }
        turns.own(turn, owned);
        contended.add(claim.name());
        // Counted from now, since the attempt began before.
        return new Attempt.Granted(
                Duration.ofNanos(owned.endNanos() - began),
                root.firstFence() == 0 ? OptionalLong.empty() : OptionalLong.of(root.firstFence()));
    }

    /** Returns a claim as the nodes know it, for a renewal that is about to be sent. */
    Claim renewed(Claim claim) {
        Turn turn = turns.find(claim);
        Root root = turn == null ? null : turn.root();
        if (turn == null || root == null) {
            return claim;
        }
        // What has a long lease cannot be passed on: whoever inherits it may be dead.
        long deadline = claim.lease().compareTo(Turn.LONGEST_GRANT) > 0 ? 0 : root.deadlineMicros();
        turn.own(root.renewed(deadline, env.nanoTime() + claim.lease().toNanos()));
        return Turn.ofRoot(claim, root.token(), claim.lease());
    }

    /** Ends what a claim has here, and returns it as the nodes know it, for a release at all of them. */
    Claim removed(Claim claim) {
        Turn turn = turns.remove(claim);
        Root root = turn == null ? null : turn.root();
        return root == null ? claim : Turn.ofRoot(claim, root.token(), claim.lease());
    }

    Release release(Claim claim) {
        Turn turn = turns.find(claim);
        if (turn == null) {
            return releaseEverywhere(claim);
        }
        Root root = turn.root();
        if (root == null) {
            turns.remove(claim);
            String passed = calls.leave(claim, turn);
            if (passed != null) {
                nodes.releaseSoon(Turn.ofRoot(claim, passed, Turn.grantLease(claim)));
            }
            return new Release.Freed(true);
        }
        if (root.isPassable(env.nanoTime())) {
            // From the sending on, this claim deletes nothing, unless it hears that nothing was passed.
            turns.remove(claim);
            if (calls.pass(claim, root) != LeadCalls.Passing.REFUSED) {
                return new Release.Freed(true);
            }
            turns.restore(turn);
        }
        turn.own(root.notPassable());
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

    Watch watch(String name, Runnable onFreed) {
        return turns.watch(name, onFreed);
    }
}
