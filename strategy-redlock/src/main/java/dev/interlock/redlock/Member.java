// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.ServerExamination;
import dev.interlock.redis.ServerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of the servers: the connection to it, whether it may vote, and what it has yet to be told.
 *
 * <p>No method but those of the connecting thread waits for the server. That thread begins with the first request, ends when there is
 * a connection, and begins anew when that breaks. Safe to use from any thread; answers are given outside the lock.
 */
final class Member {
    private static final System.Logger LOG = System.getLogger(Member.class.getPackageName());

    /** After how long a server that owes an answer is not asked for votes until it gives one. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** More than this many leases end by themselves before a server that is away could be told of their release. */
    private static final int MAX_DEBTS = 10_000;

    private final Environment env;
    private final String name;
    private final RedisNode node;
    private final Settings settings;
    private final Duration timeout;
    private final Runnable onSession;
    private final ServerExamination examination;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Request> queue = new ArrayDeque<>();
    private final Deque<Debt> debts = new ArrayDeque<>();
    private @Nullable Thread connector;
    private long tryingSinceNanos;
    private @Nullable LockBackendException lastFailure;
    private volatile @Nullable Session session;
    private @Nullable Session previous;
    private boolean closed;

    /** A release that the server may not have carried out, and until when that matters. */
    private record Debt(RedisCommand release, long untilNanos) {}

    /**
     * Creates a member.
     *
     * @param onSession run when there is another connection than before, or none any more
     */
    Member(Environment env, String name, RedisNode node, Settings settings, Duration timeout, Runnable onSession) {
        this.env = env;
        this.name = name;
        this.node = node;
        this.settings = settings;
        this.timeout = timeout;
        this.onSession = onSession;
        this.examination = new ServerExamination(name);
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
                command,
                false,
                false,
                patience,
                answer -> {
                    if (answer instanceof Answer.Failed failed && failed.cause().reason() != Reason.REFUSED) {
                        owe(new Debt(command, untilNanos));
                    }
                    onAnswer.accept(answer);
                },
                onSent);
        ask(request);
        return request;
    }

    private void owe(Debt debt) {
        lock.lock();
        try {
            if (debts.size() == MAX_DEBTS) {
                debts.removeFirst();
            }
            debts.addLast(debt);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a request up: whatever is sent to this member from now on is carried out behind it.
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
            return failed(endedHere());
        }
        long now = env.nanoTime();
        dropIfOver(now);
        Session current = session;
        if (current != null) {
            Answer abstention = request.vote ? abstention(current, now) : null;
            if (abstention == null) {
                transmit(request, current, now);
            }
            return abstention;
        }
        startConnecting(now);
        // Who has connected before is given as long as for an answer; the first connection may take longer.
        long sinceNanos = now - tryingSinceNanos;
        request.lateNanos(now
                + (previous == null
                        ? Math.min(timeout.toNanos() - sinceNanos, request.patience.connectionNanos())
                        : request.patience.answerNanos() - sinceNanos));
        if (lastFailure != null) {
            return failed(lastFailure);
        }
        if (request.lateNanos() - now <= 0) {
            return failed(new LockBackendException(Reason.UNREACHABLE, "there is no connection to " + name + " yet"));
        }
        queue.add(request);
        return null;
    }

    private LockBackendException endedHere() {
        return new LockBackendException(
                Reason.UNREACHABLE, "the connection to " + name + " was closed by this program");
    }

    private static Answer failed(LockBackendException cause) {
        return new Answer.Failed(NodeReport.Vote.FAILED, cause);
    }

    /** Why a connected server is not asked for its vote, if so. */
    private @Nullable Answer abstention(Session current, long now) {
        long wait = current.votesFromNanos - now;
        if (wait > 0) {
            return new Answer.Failed(
                    NodeReport.Vote.STANDS_ASIDE,
                    new LockBackendException(
                            Reason.UNREACHABLE,
                            name + " has started too short a time ago to vote, and may do so in "
                                    + (TimeUnit.NANOSECONDS.toMillis(wait) + 1) + " ms"));
        }
        if (current.silentNanos(now) > SILENCE_NANOS) {
            return new Answer.Failed(
                    NodeReport.Vote.TIMED_OUT,
                    new LockBackendException(
                            Reason.UNREACHABLE,
                            name + " has not answered for " + TimeUnit.NANOSECONDS.toMillis(current.silentNanos(now))
                                    + " ms, and was not asked"));
        }
        return null;
    }

    private void transmit(Request request, Session current, long now) {
        current.noteSent(now);
        request.lateNanos(now + request.patience.answerNanos());
        RedisLink.Sent sent = current.link.send(request.command, reply -> settle(current, request, reply));
        request.sent = sent;
        if (request.decided) {
            sent.doNotRepeat();
        }
    }

    private void settle(Session from, Request request, RedisLink.Reply reply) {
        from.noteAnswer(env.nanoTime());
        if (request.read && reply instanceof RedisLink.Reply.Value value) {
            request.answer(new Answer.Said(Optional.ofNullable(value.value())));
            return;
        }
        if (reply instanceof RedisLink.Reply.Value value && value.value() != null) {
            request.answer(new Answer.Said(value.value()));
            return;
        }
        LockBackendException cause = reply instanceof RedisLink.Reply.Failed failed
                ? failed.cause()
                : new LockBackendException(Reason.REFUSED, name + " answered nil, which no script of ours does");
        Answer answer = failed(cause);
        if (cause.reason() != Reason.REFUSED) {
            lock.lock();
            try {
                drop(from);
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

    /** Gives up a connection that has ended, or on which nothing has come for so long that another one may do better. */
    private void dropIfOver(long now) {
        Session current = session;
        if (current != null && (!current.link.isOpen() || current.silentNanos(now) > timeout.toNanos())) {
            drop(current);
        }
    }

    private void drop(Session over) {
        if (session == over) {
            previous = over;
            session = null;
            startConnecting(env.nanoTime());
            over.link.close();
            onSession.run();
        }
    }

    private void startConnecting(long now) {
        if (connector == null && !closed) {
            lastFailure = null;
            tryingSinceNanos = now;
            connector = env.newThread("interlock-redlock-connect", this::connect);
            connector.start();
        }
    }

    /** Tries until there is a connection. */
    private void connect() {
        long delay = FIRST_DELAY_NANOS;
        while (true) {
            try {
                if (adopt(open())) {
                    onSession.run();
                }
                return;
            } catch (LockBackendException e) {
                failAll(e);
            } catch (Throwable e) {
                // Nobody would start this thread again.
                LOG.log(System.Logger.Level.WARNING, "connecting to " + name + " failed unexpectedly", e);
                failAll(new LockBackendException(Reason.UNREACHABLE, "cannot connect to " + name, e));
            }
            long until = env.nanoTime() + delay / 2 + env.nextLong(delay);
            for (long left = delay; left > 0 && !isClosed(); left = until - env.nanoTime()) {
                env.park(this, left);
            }
            delay = Math.min(2 * delay, LONGEST_DELAY_NANOS);
            if (isClosed()) {
                return;
            }
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void failAll(LockBackendException cause) {
        List<Request> failing;
        lock.lock();
        try {
            lastFailure = cause;
            failing = new ArrayList<>(queue);
            queue.clear();
        } finally {
            lock.unlock();
        }
        failing.forEach(request -> request.answer(failed(cause)));
    }

    private Session open() {
        RedisLink link = node.openLink(timeout);
        try {
            Introduction introduction = introduce(link);
            long now = env.nanoTime();
            return new Session(link, introduction.runId(), votesFrom(introduction, now), now);
        } catch (Throwable e) {
            link.close();
            throw e;
        }
    }

    private Introduction introduce(RedisLink link) {
        Instant asked = now();
        String said;
        try {
            said = String.valueOf(reply(link, ServerInfo.COMMAND));
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED && settings.maxLease().isEmpty()) {
                return Introduction.NONE;
            }
            throw e.reason() == Reason.REFUSED
                    ? e
                    : new LockBackendException(
                            Reason.UNREACHABLE, name + " did not introduce itself: " + e.getMessage(), e);
        }
        ServerInfo info = ServerInfo.read(said);
        examination.examine(info, asked, now());
        try {
            return Introduction.of(info);
        } catch (IllegalArgumentException e) {
            throw new LockBackendException(
                    Reason.REFUSED, name + " does not tell when it started, as Redis does: " + e.getMessage(), e);
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(env.currentTimeMillis());
    }

    /** Waits for a reply, on the connecting thread. */
    private Object reply(RedisLink link, RedisCommand command) {
        Thread waiter = Thread.currentThread();
        AtomicReference<RedisLink.@Nullable Reply> reply = new AtomicReference<>();
        long until = env.nanoTime() + timeout.toNanos();
        link.send(command, it -> {
            reply.set(it);
            env.unpark(waiter);
        });
        for (long left = timeout.toNanos(); left > 0 && reply.get() == null; left = until - env.nanoTime()) {
            env.park(link, left);
        }
        RedisLink.Reply came = reply.get();
        if (came instanceof RedisLink.Reply.Value value && value.value() != null) {
            return value.value();
        }
        throw came instanceof RedisLink.Reply.Failed failed
                ? failed.cause()
                : new LockBackendException(
                        Reason.UNREACHABLE, name + " did not answer " + command + " within " + timeout);
    }

    /** When a server may vote: when every lease is over that it may have forgotten. */
    private long votesFrom(Introduction introduction, long now) {
        if (settings.maxLease().isEmpty()) {
            return now;
        }
        Duration maxLease = settings.maxLease().get();
        long aside = maxLease.toNanos() + settings.driftNanos(maxLease);
        long from = now + Math.max(0, aside - introduction.leastUptime().toNanos());
        Session before = previous;
        if (before == null) {
            return from;
        }
        if (before.runId.equals(introduction.runId())) {
            return from - before.votesFromNanos < 0 ? from : before.votesFromNanos;
        }
        // Whatever its clock says: this process is younger than our last word from the other one.
        return Math.max(from - now, before.heardNanos() + aside - now) + now;
    }

    /** Makes a connection the one to use, or returns {@code false} if there is no use for it any more. */
    private boolean adopt(Session opened) {
        Map<Request, Answer> refusals = new LinkedHashMap<>();
        List<Request> sent;
        lock.lock();
        try {
            connector = null;
            if (closed) {
                opened.link.close();
                return false;
            }
            lastFailure = null;
            session = opened;
            List<Debt> owed = new ArrayList<>(debts);
            debts.clear();
            long now = env.nanoTime();
            for (Debt debt : owed) {
                if (debt.untilNanos - now > 0) {
                    release(debt.release, NO_PATIENCE, debt.untilNanos, answer -> {}, () -> {});
                }
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
        return true;
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
            if (connector != null) {
                env.unpark(connector);
            }
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.link.close();
        }
        failing.forEach(request -> request.answer(failed(endedHere())));
        node.close();
    }
}
