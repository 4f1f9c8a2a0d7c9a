// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.line.Backlog;
import dev.interlock.redlock.line.Reconnection;
import dev.interlock.redlock.release.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The line to one node: sends requests over a connection at a time, as many as the node keeps up with, and opens another one when that
 * breaks. What cannot be sent yet waits in the {@link Backlog}.
 *
 * <p>No method waits for the server. Safe to use from any thread; answers are given outside the lock.
 */
final class NodeLine implements NodeConnector.Owner {
    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    private final Environment env;
    private final String name;
    private final RedisNode node;
    private final Duration timeout;
    private final Owner owner;

    private final ReentrantLock lock = new ReentrantLock();
    private final Backlog<Request> backlog = new Backlog<>();
    private final Reconnection reconnection;
    private volatile @Nullable Session session;
    private boolean closed;

    /** Whom to tell. */
    interface Owner {
        /** There is a connection; is not called under the lock. */
        void onConnected();

        /** There is no connection any more; may be called under the lock. */
        void onDisconnected();

        /** A request is about to be sent over a connection, unless the process stands aside; may be called under the lock. */
        void onAsked(Session session, long nowNanos);

        /** There is a reply; may be called under the lock if the connection has ended. */
        void onReply(Session from, Request request, RedisLink.Reply reply);
    }

    NodeLine(
            Environment env,
            int index,
            RedlockProtocol.Server server,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Owner owner) {
        this.env = env;
        this.name = server.name();
        this.node = server.node();
        this.timeout = timeout;
        this.owner = owner;
        NodeConnector connector = new NodeConnector(env, index, server, settings, births, timeout, this);
        this.reconnection = new Reconnection(env, name, timeout, connector::connect);
    }

    /** The connection, or {@code null} if there is none. */
    @Nullable
    Session session() {
        return session;
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
        // The answer that would have let it go may have come before it was here.
        sendWaiting();
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
        Request request = newRelease(command, patience, untilNanos, onAnswer, onSent);
        ask(request);
        return request;
    }

    private Request newRelease(
            RedisCommand command,
            Settings.Patience patience,
            long untilNanos,
            Consumer<Answer> onAnswer,
            Runnable onSent) {
        return new Request(
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
    }

    private void deliverLater(Outbox.Undelivered release) {
        lock.lock();
        try {
            backlog.addUndelivered(release);
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
            backlog.remove(request);
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
            Session current = session;
            if (sent != null) {
                sent.doNotRepeat();
            } else if (current != null && current.isShed(env.nanoTime())) {
                backlog.remove(request);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends or queues a request, or returns why not; under the lock. */
    private @Nullable Answer submit(Request request) {
        if (closed || request.givenUp || (request.decided && request.sent != null)) {
            return failure(endedHere());
        }
        long now = env.nanoTime();
        dropIfOver(now);
        Session current = session;
        if (current != null) {
            return backlog.isEmpty() && hasRoomFor(request, current, now)
                    ? send(request, current, now)
                    : hold(request, current, now);
        }
        reconnection.begin(false);
        long leftNanos = reconnection.leftNanos(request.patience.answerNanos(), request.patience.connectionNanos());
        request.lateNanos(now + leftNanos);
        LockBackendException whyNot = reconnection.whyNot(leftNanos);
        if (whyNot != null) {
            return failure(whyNot);
        }
        backlog.add(request);
        return null;
    }

    /** Whether the node keeps up. Renewals come in few batches, and matter more than what waits. */
    private static boolean hasRoomFor(Request request, Session current, long now) {
        return request.kind == Request.Kind.RENEWAL
                || !(current.isFull() || (request.kind == Request.Kind.VOTE && current.isShed(now)));
    }

    /** Lets a request wait until the node keeps up, or returns why not. */
    private @Nullable Answer hold(Request request, Session current, long now) {
        if (request.kind == Request.Kind.RENEWAL) {
            return send(request, current, now);
        }
        if (request.kind == Request.Kind.OTHER && backlog.isFull()) {
            return failure(new LockBackendException(
                    Reason.UNREACHABLE,
                    name + " has owed an answer for " + TimeUnit.NANOSECONDS.toMillis(current.owingNanos(now))
                            + " ms, and was not asked"));
        }
        // What waits for others of this process is not late; but nobody waits for a slow node while others are a
        // majority.
        request.lateNanos(current.isShed(now) ? now : now + request.patience.connectionNanos());
        backlog.add(request);
        return null;
    }

    /** Sends a request, or returns why the process is not asked. */
    private @Nullable Answer send(Request request, Session current, long now) {
        owner.onAsked(current, now);
        Answer abstention = current.abstention(request.kind, now);
        if (abstention == null) {
            transmit(request, current, now);
        }
        return abstention;
    }

    /** Sends what waits, as far as the node keeps up. */
    void sendWaiting() {
        if (backlog.isEmpty()) {
            return;
        }
        List<Runnable> news = new ArrayList<>();
        lock.lock();
        try {
            sendWaiting(news);
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
    }

    /** @param news where to add whom to tell what, after the lock is released */
    private void sendWaiting(List<Runnable> news) {
        Session current = session;
        long now = env.nanoTime();
        while (current != null && current == session && !current.isFull()) {
            // What waits goes first: a release that did not find room may take back one of these.
            Request next = backlog.first();
            if (next == null) {
                next = redelivery(now);
            }
            if (next == null || !hasRoomFor(next, current, now)) {
                return;
            }
            backlog.remove(next);
            Request sent = next;
            Answer refusal = send(sent, current, now);
            news.add(refusal == null ? sent::tellSent : () -> sent.answer(refusal));
        }
    }

    /** Takes the oldest of the releases that could not be delivered. */
    private @Nullable Request redelivery(long now) {
        Outbox.Undelivered undelivered = backlog.pollUndelivered(now);
        return undelivered == null
                ? null
                : newRelease(undelivered.release(), NO_PATIENCE, undelivered.untilNanos(), answer -> {}, () -> {});
    }

    private LockBackendException endedHere() {
        return new LockBackendException(
                Reason.UNREACHABLE, "the connection to " + name + " was closed by this program");
    }

    private static Answer failure(LockBackendException cause) {
        return new Answer.Failed(NodeReport.Vote.FAILED, cause);
    }

    private void transmit(Request request, Session current, long now) {
        current.noteSent(now);
        request.lateNanos(now + request.patience.answerNanos());
        RedisLink.Sent sent = current.link.send(
                request.wording.command(current.recordId()), reply -> owner.onReply(current, request, reply));
        request.sent = sent;
        if (request.decided) {
            sent.doNotRepeat();
        }
    }

    /**
     * Gives up a connection that has failed a request, and sends that over another one if it was not carried out.
     *
     * @return the answer to the request, or {@code null} if it is on its way again
     */
    @Nullable
    Answer recover(Session from, Request request, LockBackendException cause) {
        lock.lock();
        try {
            drop(from, false);
            if (cause.reason() == Reason.UNREACHABLE && !request.repeated && !request.decided) {
                // A connection that has just ended says nothing about the next one.
                request.repeated = true;
                return submit(request);
            }
            return failure(cause);
        } finally {
            lock.unlock();
        }
    }

    /** Gives up a connection. */
    void giveUp(Session over) {
        lock.lock();
        try {
            drop(over, false);
        } finally {
            lock.unlock();
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
        } else if (!current.link.isOpen() || current.owingNanos(now) > timeout.toNanos()) {
            drop(current, false);
        }
    }

    private void drop(Session over, boolean wait) {
        if (session == over) {
            session = null;
            if (!closed) {
                reconnection.begin(wait);
            }
            over.link.close();
            owner.onDisconnected();
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
            reconnection.failed(cause);
            failing = backlog.removeAll();
        } finally {
            lock.unlock();
        }
        failing.forEach(request -> request.answer(failure(cause)));
    }

    /** Makes a connection the one to use, unless there is no use for it any more. */
    @Override
    public void connected(Session opened) {
        List<Runnable> news = new ArrayList<>();
        lock.lock();
        try {
            reconnection.ended(!closed);
            if (closed) {
                opened.link.close();
                return;
            }
            session = opened;
            // Under the lock, or what is sent from now on could overtake what waits.
            sendWaiting(news);
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
        owner.onConnected();
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
            failing = backlog.removeAll();
            reconnection.wake();
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
