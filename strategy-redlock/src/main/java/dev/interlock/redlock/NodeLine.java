// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.line.Backlog;
import dev.interlock.redlock.line.Connected;
import dev.interlock.redlock.release.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The line to one node: sends requests over a connection at a time, as many as the node keeps up with, and opens another one when that
 * breaks. What cannot be sent yet waits in the {@link Backlog}.
 *
 * <p>No method waits for the server. Safe to use from any thread; answers are given outside the lock.
 */
final class NodeLine implements NodeConnector.Owner {
    private static final List<Runnable> NO_NEWS = List.of();

    private final Environment env;
    private final String name;
    private final RedisNode node;
    private final Owner owner;

    private final ReentrantLock lock = new ReentrantLock();
    private final Backlog<Request> backlog = new Backlog<>();
    private final Connected<Session> connected;

    /** Whom to tell. */
    interface Owner {
        /** There is a connection; is not called under the lock. */
        void onConnected();

        /** There is no connection any more; may be called under the lock. */
        void onDisconnected();

        /** A request is about to be sent over a connection, unless the process stands aside; may be called under the lock. */
        void onAsked(Session session, long nowNanos);

        /** Makes the request by which a release is delivered that could not be before; is called under the lock. */
        Request newRelease(Outbox.Undelivered release);

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
        this.owner = owner;
        NodeConnector connector = new NodeConnector(env, index, server, settings, births, timeout, this);
        this.connected = new Connected<>(env, name, timeout, connector::connect, owner::onDisconnected);
    }

    /** The connection, or {@code null} if there is none. */
    @Nullable
    Session session() {
        return connected.present();
    }

    /** Opens the connection again if it has ended. */
    void look() {
        lock.lock();
        try {
            connected.examined(env.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Reads on the present thread until a request has its answer; returns {@code false} if others are to read instead. */
    boolean read(Request request) {
        Session current = connected.present();
        return current != null && request.sent != null && current.link.readReplies(request);
    }

    /** Has answers read by another thread. */
    void readInBackground() {
        Session current = connected.present();
        if (current != null) {
            current.link.readInBackground();
        }
    }

    /** Sends a request, at once or when there is a connection. */
    void ask(Request request) {
        List<Runnable> news = NO_NEWS;
        Answer refusal;
        lock.lock();
        try {
            refusal = submit(request);
            if (!backlog.isEmpty()) {
                // The answer that would have let it go may have come before it was here.
                news = sendWaiting();
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            request.answer(refusal);
        }
        news.forEach(Runnable::run);
        flush();
    }

    /** Writes what was sent, outside the lock, so that several threads write together. */
    private void flush() {
        Session current = connected.present();
        if (current != null) {
            current.link.flush();
        }
    }

    /** Sends a release when there is a connection that has room for it. */
    void deliverLater(Outbox.Undelivered release) {
        lock.lock();
        try {
            if (!connected.isClosed()) {
                backlog.addUndelivered(release);
            }
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
            Session current = connected.present();
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
        if (connected.isClosed() || request.givenUp || (request.decided && request.sent != null)) {
            return failure(endedHere());
        }
        long now = env.nanoTime();
        Session current = connected.examined(now);
        if (current != null) {
            return backlog.isEmpty() && hasRoomFor(request, current, now)
                    ? send(request, current, now)
                    : hold(request, current, now);
        }
        connected.begin();
        long leftNanos = connected.leftNanos(request.patience.answerNanos(), request.patience.connectionNanos());
        request.noteWaiting(now + leftNanos);
        LockBackendException whyNot = connected.whyNot(leftNanos);
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
        request.noteWaiting(current.isShed(now) ? now : now + request.patience.connectionNanos());
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
    void sendOn() {
        if (backlog.isEmpty()) {
            return;
        }
        List<Runnable> news;
        lock.lock();
        try {
            news = sendWaiting();
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
        flush();
    }

    /** Returns what to do after the lock is released. */
    private List<Runnable> sendWaiting() {
        List<Runnable> news = NO_NEWS;
        Session current = connected.present();
        long now = env.nanoTime();
        while (current != null && current == connected.present() && !current.isFull()) {
            // What waits goes first: a release that did not find room may take back one of these.
            Request next = backlog.first();
            if (next == null) {
                Outbox.Undelivered release = backlog.pollUndelivered(now);
                next = release == null ? null : owner.newRelease(release);
            }
            if (next == null || !hasRoomFor(next, current, now)) {
                return news;
            }
            backlog.remove(next);
            Request sent = next;
            Answer refusal = send(sent, current, now);
            if (refusal != null) {
                news = new ArrayList<>(news);
                news.add(() -> sent.answer(refusal));
            }
        }
        return news;
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
        request.noteSent(now);
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
        Answer answer = failure(cause);
        lock.lock();
        try {
            connected.drop(from, false);
            if (cause.reason() == Reason.UNREACHABLE && !request.repeated && !request.decided) {
                // A connection that has just ended says nothing about the next one.
                request.repeated = true;
                answer = submit(request);
            }
        } finally {
            lock.unlock();
        }
        flush();
        return answer;
    }

    /** Gives up a connection. */
    void giveUp(Session over) {
        lock.lock();
        try {
            connected.drop(over, false);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return connected.isClosed();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(LockBackendException cause) {
        List<Request> failing;
        lock.lock();
        try {
            connected.failed(cause);
            failing = backlog.removeAll();
        } finally {
            lock.unlock();
        }
        failing.forEach(request -> request.answer(failure(cause)));
    }

    /** Makes a connection the one to use, unless there is no use for it any more. */
    @Override
    public void connected(Session opened) {
        List<Runnable> news;
        lock.lock();
        try {
            if (!connected.use(opened)) {
                return;
            }
            // Under the lock, or what is sent from now on could overtake what waits.
            news = sendWaiting();
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
        opened.link.readInBackground();
        owner.onConnected();
    }

    /** Fails what waits for a connection, and ends the connection. */
    void close() {
        List<Request> failing;
        Session over;
        lock.lock();
        try {
            over = connected.close();
            failing = backlog.removeAll();
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.close();
        }
        failing.forEach(request -> request.answer(failure(endedHere())));
        node.close();
    }
}
