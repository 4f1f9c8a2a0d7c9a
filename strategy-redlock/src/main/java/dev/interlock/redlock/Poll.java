// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.NodeReport.Vote;
import dev.interlock.redlock.Request.Answer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the servers, at most one to each, and the wait until the answers suffice. One thread asks and waits;
 * answers may come from any thread.
 */
final class Poll {
    /**
     * The shortest pause between two checks whether a request was sent. With a thousand threads, more frequent checks
     * would take the processor time that sending needs.
     */
    private static final long LEAST_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Answer NOT_ASKED =
            new Answer.Failed(Vote.FAILED, new LockBackendException(Reason.UNREACHABLE, "the server was not asked"));

    /** Stands for an answer that does not count. */
    private static final Answer NOT_COUNTED = new Answer.Failed(
            Vote.FAILED,
            new LockBackendException(
                    Reason.OUTCOME_UNKNOWN,
                    "the process that answered has answered as another server too, has a successor, or may not vote after all"));

    private final Environment env;
    private final Quorum quorum;
    private final Settings.Patience patience;
    private volatile Decision decision;
    private final Thread waiter = Thread.currentThread();

    /** Whether the waiting thread is parked and must be woken. */
    private volatile boolean parked;

    private final long beganNanos;
    private final @Nullable Request[] requests;
    private final long[] answeredNanos;
    private final AtomicReferenceArray<@Nullable Answer> answers;
    private volatile @Nullable Answer @Nullable [] seen;

    /** Returns whether the answers so far suffice, whatever the others may be. */
    interface Decision {
        boolean isMade(Poll poll);
    }

    Poll(Environment env, Quorum quorum, Settings.Patience patience, Decision decision) {
        this.env = env;
        this.quorum = quorum;
        this.patience = patience;
        this.decision = decision;
        this.beganNanos = env.nanoTime();
        this.requests = new Request[quorum.size()];
        this.answeredNanos = new long[quorum.size()];
        this.answers = new AtomicReferenceArray<>(quorum.size());
    }

    int size() {
        return requests.length;
    }

    /** Asks a server, unless it has left the list of nodes. */
    void ask(int node, Request.Kind kind, Request.Wording wording) {
        QuorumNode asked = quorum.get(node);
        Request request = new Request(wording, kind, asked.patience(patience), answer -> note(node, answer));
        requests[node] = request;
        asked.line().ask(request);
    }

    /** Sends a server a release, now or as soon as there is a connection. */
    void release(int node, RedisCommand command, long untilNanos) {
        release(node, command, untilNanos, answer -> {});
    }

    /** @param onAnswer called with the answer, before this poll counts it and however late it comes */
    void release(int node, RedisCommand command, long untilNanos, Consumer<Answer> onAnswer) {
        QuorumNode asked = quorum.get(node);
        requests[node] = asked.release(command, asked.patience(patience), untilNanos, answer -> {
            onAnswer.accept(answer);
            note(node, answer);
        });
    }

    /** Counts an answer of a server to an earlier question. */
    void know(int node, Answer.Said answer) {
        answeredNanos[node] = beganNanos;
        answers.set(node, answer);
    }

    /** Counts a server as one that does not answer. */
    void skip(int node) {
        answers.set(node, NOT_ASKED);
    }

    private void note(int node, Answer answer) {
        if (seen != null) {
            return;
        }
        answeredNanos[node] = env.nanoTime();
        answers.set(node, answer);
        if (parked && (decision.isMade(this) || hasMajoritySpoken())) {
            env.unpark(waiter);
        }
    }

    /** Waits until the decision is made, or no answer is worth waiting for any more. Later answers do not count. */
    void await() {
        await(beganNanos + Long.MAX_VALUE / 2);
        close();
    }

    /** As {@link #await()}, but waits for no server longer than the time for one, even if no majority answers. */
    void awaitBriefly() {
        await(beganNanos + Long.MAX_VALUE / 2, 0);
        close();
    }

    /**
     * Waits until the decision is made, or no answer is worth waiting for any more, or it is too late. While no
     * majority has answered, it waits as long as the time-out of the call allows.
     */
    void await(long untilNanos) {
        await(untilNanos, patience.connectionNanos());
    }

    /**
     * @param withoutMajorityNanos how long to wait while no majority has answered, if that is longer than the time for
     *     one server
     */
    private void await(long untilNanos, long withoutMajorityNanos) {
        boolean interrupted = false;
        long extraNanos = 0;
        if (!readAnswers()) {
            readInBackground();
        }
        parked = true;
        while (!decision.isMade(this)) {
            long patienceNanos = patienceLeft();
            boolean awaitsMajority = withoutMajorityNanos > 0 && !hasMajoritySpoken();
            if (awaitsMajority) {
                patienceNanos = Math.max(patienceNanos, beganNanos + withoutMajorityNanos - env.nanoTime());
            }
            long left = Math.min(untilNanos - env.nanoTime(), patienceNanos + extraNanos);
            if (left <= 0) {
                if (extraNanos > 0 || left > -patience.answerNanos()) {
                    break;
                }
                // This process stood still, and answers may have arrived that nobody has read yet.
                extraNanos = patience.answerNanos() - left;
                continue;
            }
            env.park(this, awaitsMajority ? left : Math.min(left, longestPark()));
            interrupted |= Thread.interrupted();
        }
        parked = false;
        if (interrupted) {
            waiter.interrupt();
        }
    }

    /** Waits until all have answered, or it is too late. */
    void awaitAll(long untilNanos) {
        decision = poll -> IntStream.range(0, size()).allMatch(i -> answer(i) != null);
        await(untilNanos, 0);
    }

    /** Waits until these servers have answered too, but no longer than the time-out of one server. */
    void awaitToo(IntPredicate which) {
        decision = poll -> IntStream.range(0, size()).filter(which).allMatch(i -> answer(i) != null);
        long longest = IntStream.range(0, size())
                .filter(which)
                .mapToLong(i -> quorum.get(i).patience(patience).answerNanos())
                .max()
                .orElse(0);
        await(beganNanos + longest, 0);
    }

    /** Reads answers on this thread, one server after the other. Returns whether the decision is made. */
    private boolean readAnswers() {
        for (int i = 0; i < requests.length && !decision.isMade(this); i++) {
            Request request = requests[i];
            if (request != null && answer(i) == null) {
                quorum.get(i).line().read(request);
            }
        }
        return decision.isMade(this);
    }

    private void readInBackground() {
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] != null && answer(i) == null) {
                quorum.get(i).line().readInBackground();
            }
        }
    }

    /** How long to park before checking again which requests were sent: only a sent request has a known deadline. */
    private long longestPark() {
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request != null && answer(i) == null && request.isWaiting()) {
                return Math.max(patience.answerNanos(), LEAST_PARK_NANOS);
            }
        }
        return Long.MAX_VALUE;
    }

    private boolean hasMajoritySpoken() {
        return quorum.majority().areReached(node -> answer(node) instanceof Answer.Said);
    }

    /** Counts no more answers. */
    void close() {
        @Nullable Answer[] counted = new Answer[answers.length()];
        for (int i = 0; i < counted.length; i++) {
            counted[i] = answers.get(i);
        }
        seen = counted;
    }

    /** The longest time within which some server may still answer in time. */
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

    /** The answer of a server so far, or at the end of the wait. */
    @Nullable
    Answer answer(int node) {
        if (node >= size()) {
            // The node joined while the others were asked.
            return NOT_ASKED;
        }
        @Nullable Answer[] counted = seen;
        return counted == null ? answers.get(node) : counted[node];
    }

    /**
     * Returns the answer if it counts: each process counts once, and a process does not count that has a successor or
     * may not vote, even if that became known after it was asked.
     */
    @Nullable
    Answer counted(int node) {
        Answer answer = answer(node);
        if (!(answer instanceof Answer.Said said)) {
            return answer;
        }
        Request request = requests[node];
        Request.Kind kind = request == null ? Request.Kind.VOTE : request.kind;
        if (said.from().hasSuccessor() || said.from().asideNanos(kind, env.nanoTime()) > 0) {
            return NOT_COUNTED;
        }
        return isDuplicate(node, said.from().runId) ? NOT_COUNTED : answer;
    }

    private boolean isDuplicate(int node, String runId) {
        for (int i = 0; i < node; i++) {
            if (!runId.isEmpty()
                    && answer(i) instanceof Answer.Said other
                    && other.from().runId.equals(runId)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether one process has answered as two servers. */
    boolean hasDuplicate() {
        for (int i = 0; i < size(); i++) {
            if (answer(i) instanceof Answer.Said said && isDuplicate(i, said.from().runId)) {
                return true;
            }
        }
        return false;
    }

    /** Returns what most of the answers that count have in common, or an empty text. */
    Object mostFrequent(Function<Answer.Said, Optional<Object>> property) {
        Map<Object, Integer> counts = new HashMap<>();
        for (int i = 0; i < size(); i++) {
            if (counted(i) instanceof Answer.Said said) {
                property.apply(said).ifPresent(it -> counts.merge(it, 1, Integer::sum));
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
    }

    /**
     * Returns the reason why too few answers have come.
     *
     * @param wasSent whether a server that has not answered was asked
     */
    Reason reason(IntPredicate wasSent) {
        boolean unknown = false;
        Set<Integer> rejections = new HashSet<>();
        for (int i = 0; i < size(); i++) {
            Answer answer = counted(i);
            if (answer instanceof Answer.Failed failed) {
                unknown |= failed.cause().reason() == Reason.OUTCOME_UNKNOWN;
                if (failed.cause().reason() == Reason.REFUSED) {
                    rejections.add(i);
                }
            } else if (answer == null) {
                unknown |= wasSent.test(i);
            }
        }
        if (unknown) {
            return Reason.OUTCOME_UNKNOWN;
        }
        return quorum.majority().areReached(node -> !rejections.contains(node)) ? Reason.UNREACHABLE : Reason.REFUSED;
    }

    /**
     * Describes what a server did.
     *
     * @param elapsedNanos how long ago the beginning is
     * @param isGrant whether an answer is a grant
     */
    NodeReport report(int node, long elapsedNanos, Predicate<Answer.Said> isGrant) {
        String name = quorum.get(node).name();
        Answer answer = counted(node);
        if (answer == null) {
            Request request = requests[node];
            boolean late = request != null && request.lateNanos() - beganNanos <= elapsedNanos;
            return new NodeReport(name, late ? Vote.TIMED_OUT : Vote.NOT_AWAITED, Duration.ofNanos(elapsedNanos), "");
        }
        Duration after = Duration.ofNanos(answeredNanos[node] - beganNanos);
        if (answer instanceof Answer.Failed failed) {
            return new NodeReport(
                    name, failed.vote(), after, String.valueOf(failed.cause().getMessage()));
        }
        return new NodeReport(name, isGrant.test((Answer.Said) answer) ? Vote.GRANTED : Vote.REFUSED, after, "");
    }

    /** Stops waiting for the servers that have not answered, and does not let their requests be sent again. */
    void leaveTheOthers() {
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request != null && answer(i) == null) {
                quorum.get(i).line().leave(request);
            }
        }
    }

    /**
     * Gives up the request to a server, so that requests sent from now on are executed after it.
     *
     * @return whether it was sent
     */
    boolean giveUp(int node) {
        Request request = requests[node];
        return request != null && quorum.get(node).line().giveUp(request);
    }

    /** The time at which a server answered. */
    long answeredNanos(int node) {
        return answeredNanos[node];
    }

    long beganNanos() {
        return beganNanos;
    }
}
