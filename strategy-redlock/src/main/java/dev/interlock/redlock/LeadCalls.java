// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.lead.LeadReply;
import dev.interlock.redlock.lead.Root;
import dev.interlock.redlock.lead.Turn;
import dev.interlock.redlock.lead.Turns;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Sends the requests of one claim that waits, or that owns a root after its wait. Safe to use from any thread. */
final class LeadCalls {
    /** How long to retry telling the lead that a claim has left the queue. */
    private static final long LEAVING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment env;
    private final Quorum quorum;
    private final Settings settings;
    private final Scripts scripts;
    private final Turns turns;
    private final BiConsumer<Claim, String> giveBack;

    /** The outcome of {@link #pass}: passed on, not passed on, or unknown. */
    enum Passing {
        PASSED,
        /** The root was certainly not passed on, so it may be released. */
        REFUSED,
        UNKNOWN
    }

    /** @param giveBack releases a root that a claim was passed while it left; does not wait for the nodes */
    LeadCalls(
            Environment env,
            Quorum quorum,
            Settings settings,
            Scripts scripts,
            Turns turns,
            BiConsumer<Claim, String> giveBack) {
        this.env = env;
        this.quorum = quorum;
        this.settings = settings;
        this.scripts = scripts;
        this.turns = turns;
        this.giveBack = giveBack;
    }

    /** Asks the lead about a claim that waits. An answer that comes too late is ignored, and undone. */
    @Nullable
    Answer ask(Claim claim, Turn turn, int lead) {
        Claim queued = turn.queued();
        String channel = turns.channel(lead, claim.name());
        long since = turn.since();
        turn.entering(lead);
        Poll poll = newPoll(claim, lead);
        poll.ask(
                lead,
                Request.Kind.VOTE,
                recordId -> scripts.lead().ask(queued, recordId, channel, since, claim.lease()));
        poll.await(poll.beganNanos()
                + Math.min(quorum.get(lead).leadSilenceNanos(), claim.timeout().toNanos()));
        poll.close();
        Answer answer = poll.answer(lead);
        if (answer == null) {
            poll.giveUp(lead);
        }
        return answer;
    }

    /** Passes a root on to the first waiter. */
    Passing pass(Claim claim, Turn turn, Root root) {
        int lead = root.lead();
        RedisCommand pass = scripts.lead().pass(claim.name(), root, leastMicros(turn));
        Poll poll = newPoll(claim, lead);
        poll.ask(lead, Request.Kind.OTHER, recordId -> pass);
        // No answer after the end of the root matters: the root has expired by then.
        poll.await(Math.min(poll.beganNanos() + claim.timeout().toNanos(), root.endNanos()));
        poll.close();
        Answer answer = poll.answer(lead);
        if (answer instanceof Answer.Said said) {
            return Long.valueOf(1).equals(said.value()) ? Passing.PASSED : Passing.REFUSED;
        }
        if (answer instanceof Answer.Failed failed) {
            return failed.cause().reason() == Reason.OUTCOME_UNKNOWN ? Passing.UNKNOWN : Passing.REFUSED;
        }
        return poll.giveUp(lead) ? Passing.UNKNOWN : Passing.REFUSED;
    }

    /** Takes a claim out of the queue, and waits for the answer. */
    void leave(Claim claim, Turn turn) {
        int lead = turn.lead();
        if (lead >= 0) {
            Poll poll = newPoll(claim, lead);
            poll.release(lead, leaving(turn), env.nanoTime() + LEAVING_NANOS, answer -> giveBack(claim, answer));
            poll.await(poll.beganNanos() + claim.timeout().toNanos());
            poll.close();
        }
    }

    /** Takes a claim out of the queue, soon. */
    void leaveSoon(Turn turn) {
        if (turn.lead() >= 0) {
            quorum.get(turn.lead())
                    .release(
                            leaving(turn),
                            new Settings.Patience(0, 0),
                            env.nanoTime() + LEAVING_NANOS,
                            answer -> giveBack(turn.claim(), answer));
        }
    }

    /** Makes the request with which an overtaken claim goes back to its place, where messages find it from now on. */
    RedisCommand standBack(Turn turn) {
        String granted = turn.queued().token();
        Claim next = turn.standBack();
        return scripts.lead().standBack(granted, next, turns.channel(turn.lead(), next.name()), turn.since());
    }

    /**
     * Releases a root that was passed to this claim while it left. Without an answer from the lead, the root expires.
     */
    private void giveBack(Claim claim, Answer answer) {
        if (answer instanceof Answer.Said said && ((List<?>) said.value()).size() > 1) {
            giveBack.accept(claim, (String) Objects.requireNonNull(((List<?>) said.value()).get(1)));
        }
    }

    private RedisCommand leaving(Turn turn) {
        return scripts.lead()
                .leave(turn.queued(), turns.channel(turn.lead(), turn.claim().name()), leastMicros(turn));
    }

    /**
     * The least that the clock of the lead shows now. If that clock was set back since, deadlines by it are invalid.
     */
    private long leastMicros(Turn turn) {
        LeadReply asked = turn.asked();
        return asked == null ? 0 : asked.leastMicros(env.nanoTime(), settings.drift());
    }

    /** Renews a root before it is held; returns {@code null} if no majority has confirmed that. */
    @Nullable
    Root renew(Claim claim, Root root, Duration lease) {
        Poll poll = new Poll(
                env,
                quorum,
                settings.patience(lease, claim.timeout()),
                answers -> Tally.ofLeases(answers, quorum.majority(), 0).isDecidedForLease());
        Request.Wording renew = scripts.renew(List.of(Turn.ofRoot(claim, root.token(), lease)));
        for (int i = 0; i < poll.size(); i++) {
            poll.ask(i, Request.Kind.RENEWAL, renew);
        }
        poll.await();
        if (!Tally.ofLeases(poll, quorum.majority(), 0).isCarried()) {
            return null;
        }
        long validity = settings.validityNanos(lease);
        return root.renewed(deadlineAfter(poll, root, lease, validity), poll.beganNanos() + validity);
    }

    /**
     * The time until which a next owner may hold a renewed root, by the clock of its lead; zero if it must not be
     * passed on.
     */
    private long deadlineAfter(Poll renewal, Root root, Duration lease, long validityNanos) {
        if (root.deadlineMicros() == 0 || lease.compareTo(settings.longestGrant()) > 0) {
            return 0;
        }
        if (!(renewal.answer(root.lead()) instanceof Answer.Said said)) {
            return root.deadlineMicros();
        }
        List<?> reply = (List<?>) said.value();
        if (number(reply, 0) != 1) {
            return root.deadlineMicros();
        }
        long sinceSent = renewal.answeredNanos(root.lead()) - renewal.beganNanos();
        return Math.max(
                root.deadlineMicros(),
                number(reply, reply.size() - 1) + TimeUnit.NANOSECONDS.toMicros(validityNanos - sinceSent));
    }

    /** One of the numbers of a reply. */
    static long number(List<?> reply, int index) {
        return (Long) Objects.requireNonNull(reply.get(index));
    }

    /** Polls one node. */
    private Poll newPoll(Claim claim, int node) {
        return new Poll(
                env,
                quorum,
                settings.patience(claim.lease(), claim.timeout()),
                answers -> answers.answer(node) != null);
    }
}
