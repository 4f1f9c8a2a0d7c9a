// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.NodeReport.Vote;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the servers, at most one to each, and the one thread that waits until what has been answered is enough. Used by that
 * thread, while answers come from any.
 */
final class Poll {
    private static final Answer NOT_ASKED =
            new Answer.Failed(Vote.FAILED, new LockBackendException(Reason.UNREACHABLE, "the server was not asked"));

    private final Environment env;
    private final Members members;
    private final Settings.Patience patience;
    private volatile Decision decision;
    private final Thread waiter = Thread.currentThread();
    private final long beganNanos;
    private final @Nullable Request[] requests;
    private final long[] answeredNanos;
    private final AtomicReferenceArray<@Nullable Answer> answers;
    private volatile @Nullable Answer @Nullable [] seen;

    /** Tells whether the answers that have come are enough, whatever the others may be. */
    interface Decision {
        boolean isMade(Poll poll);
    }

    Poll(Environment env, Members members, Settings.Patience patience, Decision decision) {
        this.env = env;
        this.members = members;
        this.patience = patience;
        this.decision = decision;
        this.beganNanos = env.nanoTime();
        this.requests = new Request[members.size()];
        this.answeredNanos = new long[members.size()];
        this.answers = new AtomicReferenceArray<>(members.size());
    }

    int size() {
        return requests.length;
    }

    /** Asks a server for its vote. */
    void askVote(int member, RedisCommand command) {
        ask(member, command, true, false);
    }

    /** Asks a server for something that it can do whether or not it may vote. */
    void ask(int member, RedisCommand command) {
        ask(member, command, false, false);
    }

    /** Asks a server for what it has, which may be nothing: the answer is an {@link java.util.Optional}. */
    void read(int member, RedisCommand command) {
        ask(member, command, false, true);
    }

    private void ask(int member, RedisCommand command, boolean vote, boolean read) {
        Request request =
                new Request(command, vote, read, patience, answer -> note(member, answer), () -> env.unpark(waiter));
        requests[member] = request;
        members.get(member).ask(request);
    }

    /** Has a server release a lease, now or as soon as it can be told. */
    void release(int member, RedisCommand command, long untilNanos) {
        requests[member] = members.get(member)
                .release(command, patience, untilNanos, answer -> note(member, answer), () -> env.unpark(waiter));
    }

    /** Counts a server as one that will not answer. */
    void skip(int member) {
        answers.set(member, NOT_ASKED);
    }

    private void note(int member, Answer answer) {
        if (seen != null) {
            return;
        }
        answeredNanos[member] = env.nanoTime();
        answers.set(member, answer);
        if (decision.isMade(this)) {
            env.unpark(waiter);
        }
    }

    /** Waits until the decision is made, or no answer is to be waited for any more; answers that come later do not count. */
    void await() {
        await(beganNanos + Long.MAX_VALUE / 2);
        close();
    }

    /** Waits until the decision is made, or no answer is to be waited for any more, or it is too late. */
    void await(long untilNanos) {
        boolean interrupted = false;
        long extraNanos = 0;
        while (!decision.isMade(this)) {
            long left = Math.min(untilNanos - env.nanoTime(), patienceLeft() + extraNanos);
            if (left <= 0) {
                if (extraNanos > 0 || left > -patience.answerNanos()) {
                    break;
                }
                // It was this process that stood still, and answers may have come that nobody has read yet.
                extraNanos = patience.answerNanos() - left;
                continue;
            }
            env.park(this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiter.interrupt();
        }
    }

    /** Waits until all have answered, or it is too late. */
    void awaitAll(long untilNanos) {
        decision = poll -> IntStream.range(0, size()).allMatch(i -> answer(i) != null);
        await(untilNanos);
    }

    /** Counts no more answers. */
    void close() {
        @Nullable Answer[] counted = new Answer[answers.length()];
        for (int i = 0; i < counted.length; i++) {
            counted[i] = answers.get(i);
        }
        seen = counted;
    }

    /** For how long some server may yet answer in time. */
    private long patienceLeft() {
        long now = env.nanoTime();
        long left = beganNanos - now;
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request != null && answer(i) == null) {
                left = Math.max(left, request.lateNanos() - now);
            }
        }
        return left;
    }

    /** What a server has answered up to now, or had when the waiting ended. */
    @Nullable
    Answer answer(int member) {
        @Nullable Answer[] counted = seen;
        return counted == null ? answers.get(member) : counted[member];
    }

    /**
     * Why too few answers have come.
     *
     * @param wasSent whether a server that has not answered was asked
     */
    Reason reason(IntPredicate wasSent) {
        boolean unknown = false;
        int rejections = 0;
        for (int i = 0; i < size(); i++) {
            Answer answer = answer(i);
            if (answer instanceof Answer.Failed failed) {
                unknown |= failed.cause().reason() == Reason.OUTCOME_UNKNOWN;
                rejections += failed.cause().reason() == Reason.REFUSED ? 1 : 0;
            } else if (answer == null) {
                unknown |= wasSent.test(i);
            }
        }
        if (unknown) {
            return Reason.OUTCOME_UNKNOWN;
        }
        return size() - rejections < members.majority() ? Reason.REFUSED : Reason.UNREACHABLE;
    }

    /**
     * Describes what a server did.
     *
     * @param elapsedNanos how long ago the beginning is
     * @param isGrant whether an answer is what was hoped for
     */
    NodeReport report(int member, long elapsedNanos, Predicate<Answer.Said> isGrant) {
        String name = members.get(member).name();
        Answer answer = answer(member);
        if (answer == null) {
            Request request = requests[member];
            boolean late = request != null && request.lateNanos() - beganNanos <= elapsedNanos;
            return new NodeReport(name, late ? Vote.TIMED_OUT : Vote.NOT_AWAITED, Duration.ofNanos(elapsedNanos), "");
        }
        Duration after = Duration.ofNanos(answeredNanos[member] - beganNanos);
        if (answer instanceof Answer.Failed failed) {
            return new NodeReport(
                    name, failed.vote(), after, String.valueOf(failed.cause().getMessage()));
        }
        return new NodeReport(name, isGrant.test((Answer.Said) answer) ? Vote.GRANTED : Vote.REFUSED, after, "");
    }

    /** Lets those who have not answered do so when they like, but be asked no second time. */
    void leaveTheOthers() {
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request != null && answer(i) == null) {
                members.get(i).leave(request);
            }
        }
    }

    /**
     * Gives up what a server was asked: what it is sent from now on, it carries out after that.
     *
     * @return whether it was sent
     */
    boolean giveUp(int member) {
        Request request = requests[member];
        return request != null && members.get(member).giveUp(request);
    }

    long beganNanos() {
        return beganNanos;
    }
}
