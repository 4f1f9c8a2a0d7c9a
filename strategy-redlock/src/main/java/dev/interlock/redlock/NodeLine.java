// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.release.Outbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The line to one node: a connection at a time, the requests that wait for one, and the releases that could not be delivered.
 *
 * <p>No method waits for the server: a thread that begins with the first request connects, ends when there is a connection, and begins
 * anew when that breaks. Safe to use from any thread; answers are given outside the lock.
 */
final class NodeLine implements NodeConnector.Owner {
    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    private final Environment env;
    private final String name;
    private final RedisNode node;
    private final Duration timeout;
    private final Owner owner;
    private final NodeConnector connector;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Request> queue = new ArrayDeque<>();
    private final Outbox outbox = new Outbox();
    private @Nullable Thread connecting;
    private long tryingSinceNanos;
    private boolean wasConnected;
    private @Nullable LockBackendException lastFailure;
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
        this.connector = new NodeConnector(env, index, server, settings, births, timeout, this);
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
        if (closed || request.givenUp || (request.decided && request.sent != null)) {
            return failure(endedHere());
        }
        long now = env.nanoTime();
        dropIfOver(now);
        Session current = session;
        if (current != null) {
            owner.onAsked(current, now);
            Answer abstention = current.abstention(request.kind, now);
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
        } else if (!current.link.isOpen() || current.silentNanos(now) > timeout.toNanos()) {
            drop(current, false);
        }
    }

    private void drop(Session over, boolean wait) {
        if (session == over) {
            session = null;
            startConnecting(env.nanoTime(), wait);
            over.link.close();
            owner.onDisconnected();
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
