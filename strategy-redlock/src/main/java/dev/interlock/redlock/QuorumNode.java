// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node of the quorum, to which requests are sent over one connection at a time.
 *
 * <p>No method waits for the server: a thread that begins with the first request connects, ends when there is a connection, and begins
 * anew when that breaks. Safe to use from any thread; answers are given outside the lock.
 */
final class QuorumNode implements NodeConnector.Owner {
    /** After how long a server that owes an answer is not asked for votes until it gives one. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How often a server that stands aside is told for how long this client has watched it. */
    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    /** What scripts answer whose birth record is not as the client knows it. */
    private static final Long OTHER_RECORD = -2L;

    /** What they answer if the client trusts the server, and others do not. */
    private static final Long NOT_TRUSTED = -3L;

    private final Environment env;
    private final int index;
    private final String name;
    private final RedisNode node;
    private final @Nullable Births births;
    private final Duration timeout;
    private final Events events;
    private final NodeConnector connector;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Request> queue = new ArrayDeque<>();
    private final Outbox outbox = new Outbox();
    private @Nullable Thread connecting;
    private long tryingSinceNanos;
    private long toldNanos;
    private boolean wasConnected;
    private @Nullable LockBackendException lastFailure;
    private volatile @Nullable Session session;
    private boolean closed;

    /** Whom to tell. */
    interface Events {
        /** There is another connection than before, or none any more; may be called under the lock of the node. */
        void onSession();

        /** A birth record was read; is never called under the lock of a node. */
        void onRecord();
    }

    QuorumNode(
            Environment env,
            int index,
            RedlockProtocol.Server server,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Events events) {
        this.env = env;
        this.index = index;
        this.name = server.name();
        this.node = server.node();
        this.births = births;
        this.timeout = timeout;
        this.events = events;
        this.connector = new NodeConnector(env, index, server, settings, births, timeout, this);
    }

    String name() {
        return name;
    }

    RedisNode node() {
        return node;
    }

    /** The name of the process that is connected, or an empty text. */
    String runId() {
        Session current = session;
        return current == null ? "" : current.runId;
    }

    /** Whether the process that is connected may vote; {@code null} if there is none, or servers are trusted. */
    @Nullable
    Eligibility eligibility() {
        Session current = session;
        return current == null ? null : current.eligibility;
    }

    /** Opens the connection again if it has ended. */
    void look() {
        lock.lock();
        try {
            dropIfOver(env.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Sends a request, at once or when there is a connection. */
    void ask(Request request) {
        Answer refusal;
        lock.lock();
        try {
            refusal = submit(request);
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            request.answer(refusal);
        }
    }

    /**
     * Sends a release, at once or when there is a connection, and again after a failure as long as the lease may last.
     *
     * @param untilNanos when the lease is over
     */
    Request release(
            RedisCommand command,
            Settings.Patience patience,
            long untilNanos,
            Consumer<Answer> onAnswer,
            Runnable onSent) {
        Request request = new Request(
                recordId -> command,
                Request.Kind.OTHER,
                patience,
                answer -> {
                    if (answer instanceof Answer.Failed failed && failed.cause().reason() != Reason.REFUSED) {
                        deliverLater(new Outbox.Undelivered(command, untilNanos));
                    }
                    onAnswer.accept(answer);
                },
                onSent);
        ask(request);
        return request;
    }

    private void deliverLater(Outbox.Undelivered release) {
        lock.lock();
        try {
            outbox.add(release);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a request up: whatever is sent to this node from now on is carried out behind it.
     *
     * @return whether it was sent
     */
    boolean giveUp(Request request) {
        lock.lock();
        try {
            request.givenUp = true;
            queue.remove(request);
            RedisLink.Sent sent = request.sent;
            if (sent == null) {
                return false;
            }
            sent.doNotRepeat();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a request that nobody waits for any more from being sent again, behind what undoes it. */
    void leave(Request request) {
        lock.lock();
        try {
            request.decided = true;
            RedisLink.Sent sent = request.sent;
            if (sent != null) {
                sent.doNotRepeat();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends or queues a request, or returns why not; under the lock. */
    private @Nullable Answer submit(Request request) {
        if (closed || request.givenUp) {
            return failure(endedHere());
        }
        long now = env.nanoTime();
        dropIfOver(now);
        Session current = session;
        if (current != null) {
            Answer abstention = abstention(request.kind, current, now);
            if (abstention == null) {
                transmit(request, current, now);
            }
            return abstention;
        }
        startConnecting(now, false);
        // A node that was connected before is given as long as for an answer; the first connection may take longer.
        long sinceNanos = now - tryingSinceNanos;
        request.lateNanos(now
                + (wasConnected
                        ? request.patience.answerNanos() - sinceNanos
                        : Math.min(timeout.toNanos() - sinceNanos, request.patience.connectionNanos())));
        if (lastFailure != null) {
            return failure(lastFailure);
        }
        if (request.lateNanos() - now <= 0) {
            return failure(new LockBackendException(Reason.UNREACHABLE, "there is no connection to " + name + " yet"));
        }
        queue.add(request);
        return null;
    }

    private LockBackendException endedHere() {
        return new LockBackendException(
                Reason.UNREACHABLE, "the connection to " + name + " was closed by this program");
    }

    private static Answer failure(LockBackendException cause) {
        return new Answer.Failed(NodeReport.Vote.FAILED, cause);
    }

    /** Returns why a connected server is not asked, if so; under the lock. */
    private @Nullable Answer abstention(Request.Kind kind, Session current, long now) {
        Eligibility eligibility = current.eligibility;
        if (eligibility != null && kind != Request.Kind.OTHER) {
            long wait = kind == Request.Kind.VOTE
                    ? eligibility.votesInNanos(now)
                    : kind == Request.Kind.RENEWAL ? eligibility.confirmsInNanos(now) : 0;
            if (wait > 0 ? now - toldNanos > WATCH_NANOS : eligibility.isNewsThatItVotes(now)) {
                enrol(current);
            }
            if (wait > 0) {
                return standsAside(name
                        + (eligibility.isDisputed()
                                ? " is used by a client with another list of servers, or under another index, and does not"
                                        + " vote until that is over for max-lease: give all clients the same servers in the same"
                                        + " order, and name each once; it may vote in "
                                : " has started too short a time ago to vote, as far as clients have seen, and may do so in ")
                        + (TimeUnit.NANOSECONDS.toMillis(wait) + 1) + " ms");
            }
        }
        if (kind == Request.Kind.VOTE && current.silentNanos(now) > SILENCE_NANOS) {
            return new Answer.Failed(
                    NodeReport.Vote.TIMED_OUT,
                    new LockBackendException(
                            Reason.UNREACHABLE,
                            name + " has not answered for " + TimeUnit.NANOSECONDS.toMillis(current.silentNanos(now))
                                    + " ms, and was not asked"));
        }
        return null;
    }

    private static Answer standsAside(String why) {
        return new Answer.Failed(NodeReport.Vote.STANDS_ASIDE, new LockBackendException(Reason.UNREACHABLE, why));
    }

    private void transmit(Request request, Session current, long now) {
        current.noteSent(now);
        request.lateNanos(now + request.patience.answerNanos());
        RedisLink.Sent sent = current.link.send(
                request.wording.command(current.recordId()), reply -> settle(current, request, reply));
        request.sent = sent;
        if (request.decided) {
            sent.doNotRepeat();
        }
    }

    private void settle(Session from, Request request, RedisLink.Reply reply) {
        from.noteAnswer(env.nanoTime());
        if (reply instanceof RedisLink.Reply.Value value && value.value() instanceof List<?> list && !list.isEmpty()) {
            if (OTHER_RECORD.equals(list.get(0))) {
                enrolAndRepeat(from, request);
                return;
            }
            if (NOT_TRUSTED.equals(list.get(0))) {
                request.answer(failure(new LockBackendException(
                        Reason.REFUSED,
                        name + " is used by clients with the option cold-start=wait, whose locks a client with"
                                + " cold-start=trust could take: set the same for all clients")));
                return;
            }
        }
        if (reply instanceof RedisLink.Reply.Value value
                && (value.value() != null || request.kind == Request.Kind.READ)) {
            request.answer(new Answer.Said(
                    request.kind == Request.Kind.READ
                            ? Optional.ofNullable(value.value())
                            : Objects.requireNonNull(value.value()),
                    from));
            return;
        }
        LockBackendException cause = reply instanceof RedisLink.Reply.Failed failed
                ? failed.cause()
                : new LockBackendException(Reason.REFUSED, name + " answered nil, which no script of ours does");
        Answer answer = failure(cause);
        if (cause.reason() != Reason.REFUSED) {
            lock.lock();
            try {
                drop(from, false);
                if (cause.reason() == Reason.UNREACHABLE && !request.repeated && !request.decided) {
                    // It was not carried out; a connection that has just ended says nothing about the next one.
                    request.repeated = true;
                    answer = submit(request);
                }
            } finally {
                lock.unlock();
            }
        }
        if (answer != null) {
            request.answer(answer);
        }
    }

    /** Has the birth record read, and then sends a request again that was not carried out since the record was another one. */
    private void enrolAndRepeat(Session from, Request request) {
        Answer answer = null;
        lock.lock();
        try {
            if (request.decided || request.givenUp || !request.mayRepeat()) {
                answer = standsAside(
                        name + " is being used by others in ways that change its birth record all the time");
            } else if (session != from) {
                answer = submit(request);
            } else {
                enrol(from);
                from.awaitEnrolment(request);
            }
        } finally {
            lock.unlock();
        }
        if (answer != null) {
            request.answer(answer);
        }
    }

    /** Has the birth record of the process that is connected checked, and tells it what is known of others. */
    void enrol() {
        lock.lock();
        try {
            Session current = session;
            if (current != null) {
                enrol(current);
            }
        } finally {
            lock.unlock();
        }
    }

    private void enrol(Session current) {
        if (births == null || !current.beginEnrolment()) {
            return;
        }
        long now = env.nanoTime();
        toldNanos = now;
        current.noteSent(now);
        current.link.send(births.enrol(index, current.runId, current.eligibility), reply -> enrolled(current, reply));
    }

    private void enrolled(Session from, RedisLink.Reply reply) {
        from.noteAnswer(env.nanoTime());
        LockBackendException failure =
                reply instanceof RedisLink.Reply.Failed failed ? failed.cause() : learn(from, reply);
        Map<Request, Answer> refusals = new LinkedHashMap<>();
        lock.lock();
        try {
            List<Request> waited = from.endEnrolment();
            if (failure != null && failure.reason() != Reason.REFUSED) {
                drop(from, false);
            }
            for (Request request : waited) {
                Answer refusal =
                        failure != null && failure.reason() == Reason.REFUSED ? failure(failure) : submit(request);
                if (refusal != null) {
                    refusals.put(request, refusal);
                }
            }
        } finally {
            lock.unlock();
        }
        refusals.forEach(Request::answer);
        if (failure == null) {
            events.onRecord();
        }
    }

    private @Nullable LockBackendException learn(Session from, RedisLink.Reply reply) {
        try {
            if (births != null && from.eligibility != null && reply instanceof RedisLink.Reply.Value value) {
                births.learn(from.eligibility, index, name, Objects.requireNonNullElse(value.value(), ""));
            }
            return null;
        } catch (LockBackendException e) {
            return e;
        }
    }

    /** Gives up a connection that has ended, or on which nothing has come for so long that another one may do better. */
    private void dropIfOver(long now) {
        Session current = session;
        if (current == null) {
            return;
        }
        if (current.hasSuccessor()) {
            drop(current, true);
        } else if (!current.link.isOpen() || current.silentNanos(now) > timeout.toNanos()) {
            drop(current, false);
        }
    }

    private void drop(Session over, boolean wait) {
        if (session == over) {
            session = null;
            startConnecting(env.nanoTime(), wait);
            over.link.close();
            events.onSession();
        }
    }

    private void startConnecting(long now, boolean wait) {
        if (connecting == null && !closed) {
            lastFailure = null;
            tryingSinceNanos = now;
            connecting = env.newThread("interlock-redlock-connect", () -> connector.connect(wait));
            connecting.start();
        }
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(LockBackendException cause) {
        List<Request> failing;
        lock.lock();
        try {
            lastFailure = cause;
            failing = new ArrayList<>(queue);
            queue.clear();
        } finally {
            lock.unlock();
        }
        failing.forEach(request -> request.answer(failure(cause)));
    }

    /** Makes a connection the one to use, unless there is no use for it any more. */
    @Override
    public void connected(Session opened) {
        Map<Request, Answer> refusals = new LinkedHashMap<>();
        List<Request> sent;
        lock.lock();
        try {
            connecting = null;
            if (closed) {
                opened.link.close();
                return;
            }
            lastFailure = null;
            wasConnected = true;
            toldNanos = env.nanoTime();
            session = opened;
            for (Outbox.Undelivered undelivered : outbox.drain(env.nanoTime())) {
                release(undelivered.release(), NO_PATIENCE, undelivered.untilNanos(), answer -> {}, () -> {});
            }
            sent = new ArrayList<>(queue);
            queue.clear();
            // Under the lock, or what is sent from now on could overtake them.
            for (Request request : sent) {
                Answer refusal = submit(request);
                if (refusal != null) {
                    refusals.put(request, refusal);
                }
            }
        } finally {
            lock.unlock();
        }
        refusals.forEach(Request::answer);
        sent.forEach(Request::tellSent);
        events.onSession();
        events.onRecord();
    }

    /** Fails what waits for a connection, and ends the connection. */
    void close() {
        List<Request> failing;
        Session over;
        lock.lock();
        try {
            closed = true;
            over = session;
            session = null;
            failing = new ArrayList<>(queue);
            queue.clear();
            if (connecting != null) {
                env.unpark(connecting);
            }
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.link.close();
        }
        failing.forEach(request -> request.answer(failure(endedHere())));
        node.close();
    }
}
