// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.Request.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock. Asks all servers at once; if the attempt fails, the servers that granted the lock
 * release it again. Used by one thread, once.
 */
final class AcquireRound {
    private static final long LEAST_SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LARGEST_SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** After a split vote, clients spread their next attempts over this many times the length of an attempt. */
    private static final int SPREAD = 8;

    private final Environment env;
    private final Quorum quorum;
    private final Settings settings;
    private final Scripts scripts;
    private final AttemptReport.Listeners reports;
    private final Claim claim;
    private final int lead;
    private final @Nullable LeadGrant leadGrant;
    private final Poll poll;

    /**
     * A grant that the lead has given already, so that only the other servers are asked.
     *
     * @param vote its reply
     * @param firstFence the first fencing token that it offers
     * @param predecessor the token of the previous holder, which has released the lock and may be replaced; or an empty
     *     text
     * @param endNanos until when the lead keeps the lock
     * @param standBack makes what is sent to the lead instead of a release if another claim has a majority: a release
     *     would have the lead grant the lock to the next waiter, who would be refused as well, and take the place of
     *     this one
     */
    record LeadGrant(
            Answer.Said vote, long firstFence, String predecessor, long endNanos, Supplier<RedisCommand> standBack) {}

    /**
     * @param lead the server that keeps the queue of the lock, whose refusal outvotes a majority
     * @param leadGrant the grant of the lead, if there is one
     */
    AcquireRound(
            Environment env,
            Quorum quorum,
            Settings settings,
            Scripts scripts,
            AttemptReport.Listeners reports,
            Claim claim,
            int lead,
            @Nullable LeadGrant leadGrant) {
        this.env = env;
        this.quorum = quorum;
        this.settings = settings;
        this.scripts = scripts;
        this.reports = reports;
        this.claim = claim;
        this.lead = lead;
        this.leadGrant = leadGrant;
        this.poll = newPoll(answers -> count(answers).isDecided() || answers.hasDuplicate());
    }

    private Poll newPoll(Poll.Decision decision) {
        return new Poll(env, quorum, settings.patience(claim.lease(), claim.timeout()), decision);
    }

    private Tally count(Poll answers) {
        return Tally.ofGrants(answers, quorum.majority());
    }

    Attempt hold() {
        ask();
        poll.await(tooLateNanos());
        if (poll.hasDuplicate()) {
            poll.close();
            return failDuplicate();
        }
        if (!isCarried()) {
            // The attempt has failed, so there is time to hear which grants must be undone: a little if somebody else
            // holds the lock, and as long as for any answer if that tells what went wrong.
            long now = env.nanoTime();
            poll.awaitAll(count(poll).isAnswered() ? now + (now - poll.beganNanos()) : tooLateNanos());
        }
        poll.close();
        return isCarried() ? settleFence() : fail();
    }

    private void ask() {
        LeadGrant granted = leadGrant;
        Request.Wording acquire = granted == null
                ? scripts.acquire(claim, TimeUnit.MILLISECONDS.toMicros(env.currentTimeMillis()), "")
                : scripts.acquire(claim, granted.firstFence, granted.predecessor);
        for (int i = 0; i < poll.size(); i++) {
            if (granted != null && i == lead) {
                poll.know(i, new Answer.Said(List.of(1L, granted.firstFence), granted.vote.from()));
            } else {
                poll.ask(i, Request.Kind.VOTE, acquire);
            }
        }
    }

    private boolean isCarried() {
        return count(poll).isCarried() && !(poll.counted(lead) instanceof Answer.Said said && !Votes.isGrant(said));
    }

    /** The moment after which a grant is of no use. */
    private long tooLateNanos() {
        return endNanos() - minValidityNanos();
    }

    /** A grant of the lead may be shorter than {@code minValidity}; it is renewed if more is needed. */
    private long minValidityNanos() {
        return leadGrant == null ? settings.minValidity().toNanos() : 0;
    }

    /** The end of the validity of a grant. */
    private long endNanos() {
        return leadGrant == null ? poll.beganNanos() + settings.validityNanos(claim.lease()) : leadGrant.endNanos;
    }

    private Attempt settleFence() {
        if (!settings.fencing()) {
            return accept(OptionalLong.empty());
        }
        OptionalLong agreed = Votes.agreedFence(poll, quorum.majority());
        if (agreed.isPresent()) {
            return accept(agreed);
        }
        long largest = Votes.largestFence(poll);
        Poll confirmation = newPoll(answers -> confirmations(answers).isDecided());
        RedisCommand confirm = scripts.confirm(claim, largest);
        for (int i = 0; i < poll.size(); i++) {
            if (mayHold(i)) {
                confirmation.ask(i, Request.Kind.OTHER, recordId -> confirm);
            } else {
                confirmation.skip(i);
            }
        }
        confirmation.await(tooLateNanos());
        confirmation.close();
        Tally confirmed = confirmations(confirmation);
        if (confirmed.isCarried()) {
            return accept(OptionalLong.of(largest));
        }
        undo(scripts.release(List.of(claim)));
        if (confirmed.isAnswered()) {
            return refused(Optional.empty());
        }
        return failed(
                Reason.OUTCOME_UNKNOWN, "a majority gave the lock, but then did not confirm the fencing token in time");
    }

    private Tally confirmations(Poll answers) {
        return Tally.ofConfirmations(answers, quorum.majority());
    }

    /** Returns whether a server may hold the lock for this claim, now or later. */
    private boolean mayHold(int node) {
        Answer answer = poll.answer(node);
        if (answer instanceof Answer.Said said) {
            return Votes.isGrant(said);
        }
        return answer == null || ((Answer.Failed) answer).cause().reason() == Reason.OUTCOME_UNKNOWN;
    }

    private Attempt accept(OptionalLong fence) {
        LockBackendException clash = quorum.clashOfVoters();
        if (clash != null) {
            undo(scripts.release(List.of(claim)));
            return failed(clash.reason(), String.valueOf(clash.getMessage()));
        }
        long now = env.nanoTime();
        long elapsed = now - poll.beganNanos();
        long left = endNanos() - now;
        if (left <= minValidityNanos()) {
            undo(scripts.release(List.of(claim)));
            return failed(
                    Reason.OUTCOME_UNKNOWN,
                    "a majority gave the lock, but so late that too little of the lease of " + claim.lease()
                            + " is left: the servers or this process are too slow for it");
        }
        poll.leaveTheOthers();
        if (reports.areWanted()) {
            reports.tell(report(AttemptReport.Outcome.GRANTED, elapsed, left, fence));
        }
        return new Attempt.Granted(Duration.ofNanos(endNanos() - poll.beganNanos()), fence);
    }

    private Attempt failDuplicate() {
        undo(scripts.release(List.of(claim)));
        LockBackendException clash = quorum.clashOfVoters();
        return failed(
                Reason.REFUSED,
                clash == null
                        ? "two of the servers are one and the same, which can vote only once: name each server once"
                        : String.valueOf(clash.getMessage()));
    }

    private Attempt fail() {
        RedisCommand release = scripts.release(List.of(claim));
        if (count(poll).isAnswered()) {
            Optional<Votes.Held> holder = Votes.holder(poll, quorum.majority());
            undo(release, leadGrant != null && holder.isPresent() ? leadGrant.standBack.get() : release);
            return refused(holder);
        }
        boolean[] sent = undo(release);
        return failed(poll.reason(node -> sent[node]), "no majority of the servers answered");
    }

    private Attempt refused(Optional<Votes.Held> holder) {
        long elapsed = env.nanoTime() - poll.beganNanos();
        if (reports.areWanted()) {
            reports.tell(report(AttemptReport.Outcome.REFUSED, elapsed, 0, OptionalLong.empty()));
        }
        return new Attempt.Refused(holder.isPresent() ? holder.get().free() : Optional.of(spread(elapsed)));
    }

    /** After a split vote, returns a random pause, so that the clients do not ask at the same time again. */
    private Duration spread(long elapsed) {
        long bound = Math.max(LEAST_SPREAD_NANOS, Math.min(LARGEST_SPREAD_NANOS, SPREAD * elapsed));
        return Duration.ofNanos(env.nextLong(bound));
    }

    private Attempt failed(Reason reason, String why) {
        AttemptReport report =
                report(AttemptReport.Outcome.FAILED, env.nanoTime() - poll.beganNanos(), 0, OptionalLong.empty());
        if (reports.areWanted()) {
            reports.tell(report);
        }
        return new Attempt.Failed(new LockBackendException(reason, why + "; " + report));
    }

    /**
     * Releases the grants that servers have given or may yet give, and waits a little for those that have given one.
     *
     * @return which of the servers were sent the request and may have carried it out
     */
    private boolean[] undo(RedisCommand release) {
        return undo(release, release);
    }

    private boolean[] undo(RedisCommand release, RedisCommand atLead) {
        boolean[] sent = new boolean[poll.size()];
        boolean[] granted = new boolean[poll.size()];
        Poll undoing = newPoll(answers -> haveAnswered(answers, granted));
        long untilNanos = env.nanoTime() + claim.lease().toNanos();
        for (int i = 0; i < poll.size(); i++) {
            granted[i] = poll.answer(i) instanceof Answer.Said said && Votes.isGrant(said);
            sent[i] = mayHold(i) && (poll.giveUp(i) || granted[i]);
        }
        for (int i = 0; i < poll.size(); i++) {
            if (sent[i]) {
                undoing.release(i, i == lead ? atLead : release, untilNanos);
            }
        }
        undoing.awaitBriefly();
        return sent;
    }

    private static boolean haveAnswered(Poll answers, boolean[] which) {
        for (int i = 0; i < which.length; i++) {
            if (which[i] && answers.answer(i) == null) {
                return false;
            }
        }
        return true;
    }

    private AttemptReport report(
            AttemptReport.Outcome outcome, long elapsedNanos, long validityNanos, OptionalLong fence) {
        List<NodeReport> nodes = new ArrayList<>();
        for (int i = 0; i < poll.size(); i++) {
            if (quorum.isListed(i)) {
                nodes.add(poll.report(i, elapsedNanos, Votes::isGrant));
            }
        }
        return new AttemptReport(
                claim.name(), outcome, Duration.ofNanos(elapsedNanos), Duration.ofNanos(validityNanos), fence, nodes);
    }
}
