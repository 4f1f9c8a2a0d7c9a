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
import dev.interlock.redlock.line.NodeConnection;
import dev.interlock.redlock.release.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The line to one node. It sends requests over one connection, as many as the node keeps up with, and opens another
 * connection when that one breaks. Requests that cannot be sent yet wait in the {@link Backlog}.
 *
 * <p>No method waits for the server. Safe to use from any thread; callbacks of requests run after the lock is released.
 */
final class NodeLine implements NodeConnector.Owner {
    private static final List<Runnable> NO_NEWS = List.of();

    private final Environment env;
    private final String name;
    private final RedisNode node;
    private final Owner owner;

    private final ReentrantLock lock = new ReentrantLock();
    private final Backlog<Request> backlog = new Backlog<>();
    private final NodeConnection<Session> connected;

    /** Callbacks about the line. */
    interface Owner {
        /** A connection was established. Not called under the lock. */
        void onConnected();

        /** The connection has ended. May be called under the lock. */
        void onDisconnected();

        /** A request is about to be sent, unless the process stands aside. May be called under the lock. */
        void onAsked(Session session, long nowNanos);

        /** Makes the request for a release that could not be delivered before. Called under the lock. */
        Request newRelease(Outbox.Undelivered release);

        /** A reply has arrived. May be called under the lock if the connection has ended. */
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
        this.connected = new NodeConnection<>(env, name, timeout, connector::connect, owner::onDisconnected);
    }

    /** The connection, or {@code null} if there is none. */
    @Nullable
    Session session() {
        return connected.present();
    }

    /**
     * The state of the connections to the node.
     *
     * @param waiting how many requests and releases wait to be sent
     * @param connections how many connections there were, the present one included
     * @param lastFailure why the last attempt to connect has failed; {@code null} if there is a connection, or none was
     *     tried yet
     */
    record Load(int waiting, long connections, @Nullable LockBackendException lastFailure) {}

    /** Returns the state of the connections. */
    Load load() {
        lock.lock();
        try {
            return new Load(backlog.size(), connected.count(), connected.lastFailure());
        } finally {
            lock.unlock();
        }
    }

    /** Reconnects if the connection has ended. */
    void look() {
        lock.lock();
        try {
            connected.examined(env.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads replies on the present thread until a request has its answer. Returns {@code false} if another thread reads
     * them.
     */
    boolean read(Request request) {
        Session current = connected.present();
        return current != null && request.sent != null && current.link.readReplies(request);
    }

    /** Lets another thread read the replies. */
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
                // The reply that makes room may have arrived before this request was queued.
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

    /** Flushes the connection outside the lock, so that requests of several threads go out in one write. */
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
     * Gives a request up, so that requests sent to this node from now on are executed after it.
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

    /** Prevents a request that nobody waits for from being sent again, after the release that undoes it. */
    void leave(Request request) {
        lock.lock();
        try {
            request.decided = true;
            RedisLink.Sent sent = request.sent;
            Session current = connected.present();
            if (sent != null) {
                sent.doNotRepeat();
            } else if (backlog.isFull() || (current != null && current.isShed(env.nanoTime()))) {
                backlog.remove(request);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends or queues a request, or returns why it does not. Called under the lock. */
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

    /**
     * Returns whether the node keeps up. Renewals always have room: they are few, and more urgent than waiting
     * requests.
     */
    private static boolean hasRoomFor(Request request, Session current, long now) {
        return request.kind == Request.Kind.RENEWAL
                || !(current.isFull() || (request.kind == Request.Kind.VOTE && current.isShed(now)));
    }

    /** Queues a request until the node keeps up, or returns why it does not. */
    private @Nullable Answer hold(Request request, Session current, long now) {
        if (request.kind == Request.Kind.RENEWAL) {
            return send(request, current, now);
        }
        if ((request.kind == Request.Kind.OTHER || request.kind == Request.Kind.RELEASE) && backlog.isFull()) {
            return failure(new LockBackendException(
                    Reason.UNREACHABLE,
                    name + " has owed an answer for " + TimeUnit.NANOSECONDS.toMillis(current.owingNanos(now))
                            + " ms, and was not asked"));
        }
        // A request that waits behind others of this process is not late, but no request waits for a slow node while
        // the others are a majority.
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

    /** Sends waiting requests, as many as the node keeps up with. */
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

    /** Returns the actions to run after the lock is released. */
    private List<Runnable> sendWaiting() {
        List<Runnable> news = NO_NEWS;
        Session current = connected.present();
        long now = env.nanoTime();
        while (current != null && current == connected.present() && !current.isFull()) {
            // Waiting requests go first: a release that found no room may undo one of them.
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
        RedisCommand command = request.wording.command(current.recordId());
        RedisLink.Sent sent = current.link.send(
                request.kind == Request.Kind.RELEASE ? current.inOrder(command) : command,
                reply -> owner.onReply(current, request, reply));
        request.sent = sent;
        if (request.decided) {
            sent.doNotRepeat();
        }
    }

    /**
     * Gives up a connection on which a request failed, and sends the request over another one if it was not executed.
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

    /** Starts to use a connection, unless this line was closed meanwhile. */
    @Override
    public void connected(Session opened) {
        List<Runnable> news;
        lock.lock();
        try {
            if (!connected.use(opened)) {
                return;
            }
            // Under the lock, so that later requests cannot overtake the waiting ones.
            news = sendWaiting();
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
        opened.link.readInBackground();
        owner.onConnected();
    }

    /** Fails the waiting requests, and closes the connection. */
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
