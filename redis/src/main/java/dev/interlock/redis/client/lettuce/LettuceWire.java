// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.ServerErrorException;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.client.Wire;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One Lettuce connection for all threads, and further ones for transactions.
 *
 * <p>Lettuce does not reconnect by itself here: a connection that has ended is replaced by the next call, so that
 * nothing can be repeated and no call is rejected because the time to try again has not come.
 */
public final class LettuceWire implements Wire {
    /** The number of connections that may end without a reason before the server counts as unreachable. */
    private static final int TRIES = 4;

    /** The pause before a connection that accepts no commands yet is tried again. */
    private static final long ACTIVATION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Environment env;
    private final Failures failures;
    private final LettuceClient client;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Link> idle = new ArrayDeque<>();
    private @Nullable Link shared;
    private boolean closed;

    public LettuceWire(Environment env, Failures failures, LettuceClient client) {
        this.env = env;
        this.failures = failures;
        this.client = client;
    }

    /**
     * Runs the call on the current thread: Lettuce does its I/O on threads of its own.
     */
    @Override
    public <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline) {
        return call.get();
    }

    @Override
    public @Nullable ServerAccess access() {
        return client.dialer().access().orElse(null);
    }

    @Override
    public Line open(Use use, Deadline deadline) {
        for (int tries = 1; ; tries++) {
            Link link = take(use.isExclusive());
            Waiting.until(env, link.opening, deadline);
            if (!link.opening.isDone()) {
                giveBack(link);
                throw failures.noConnectionInTime(deadline);
            }
            try {
                return new LettuceLine(link, link.opening.join());
            } catch (CompletionException | CancellationException e) {
                discard(link);
                if (tries == TRIES || !endedUnexplained(e)) {
                    throw noConnection(
                            failures, e, new Deadline(env, client.dialer().connectTimeout()));
                }
            }
        }
    }

    @Override
    public RedisLink openLink(Deadline deadline) {
        while (true) {
            LettuceLine line = (LettuceLine) open(Use.EXCLUSIVE, deadline);
            try {
                // Any reply will do, even a refusal: only after a reply does Lettuce certainly accept commands.
                line.exchange(List.of(RedisCommand.of("PING")), List.of(), deadline);
                return line.keep();
            } catch (NotSentException e) {
                // The connection ended after the log-in; another one may not.
            } catch (LockBackendException e) {
                throw deadline.nanosLeft() > 0 ? failures.noConnection(e) : failures.noConnectionInTime(deadline);
            }
        }
    }

    /**
     * Returns whether the connection ended without a known reason. Lettuce may see the end before it has read the
     * reason, such as a refused login.
     */
    private static boolean endedUnexplained(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException
                    || each instanceof IOException
                    || each instanceof LockBackendException
                    || each instanceof TimeoutException) {
                return false;
            }
        }
        return true;
    }

    private Link take(boolean exclusive) {
        lock.lock();
        try {
            if (closed) {
                throw failures.closed(null);
            }
            Link link = exclusive ? idle.poll() : shared;
            if (link != null && (link.isBroken() || link.isExpiring(env.nanoTime()))) {
                // A connection whose credentials expire soon is replaced by a new one.
                retire(link);
                link = null;
            }
            if (link == null) {
                link = new Link(client.dialer().connect(), exclusive);
            }
            if (!exclusive) {
                shared = link;
            }
            link.users++;
            return link;
        } finally {
            lock.unlock();
        }
    }

    public static LockBackendException noConnection(Failures failures, Throwable cause, Deadline deadline) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException) {
                return failures.answered(
                        RedisCommand.of("the connection"), new ServerError(String.valueOf(each.getMessage())));
            }
            // Each thread gets an exception of its own for a shared failure.
            if (each instanceof ServerErrorException said) {
                return said.anew();
            }
            if (each instanceof LockBackendException known) {
                return new LockBackendException(known.reason(), String.valueOf(known.getMessage()), known);
            }
            if (each instanceof TimeoutException) {
                return failures.noConnectionInTime(deadline);
            }
        }
        return failures.noConnection(cause);
    }

    private void giveBack(Link link) {
        lock.lock();
        try {
            link.users--;
            if (link.retired) {
                closeIfUnused(link);
            } else if (link.exclusive) {
                idle.push(link);
            }
        } finally {
            lock.unlock();
        }
    }

    private void discard(Link link) {
        lock.lock();
        try {
            link.users--;
            retire(link);
        } finally {
            lock.unlock();
        }
    }

    /** Retires the connection: later calls do not use it, and it is closed when the current calls have ended. */
    private void retire(Link link) {
        link.retired = true;
        if (shared == link) {
            shared = null;
        }
        idle.remove(link);
        closeIfUnused(link);
    }

    /** Retires the connections on which the server has not answered since: they may be broken too. */
    private void doubt(long sentNanos) {
        lock.lock();
        try {
            List<Link> doubted = new ArrayList<>(idle);
            if (shared != null) {
                doubted.add(shared);
            }
            doubted.removeIf(link -> link.answeredNanos == 0 || link.answeredNanos - sentNanos >= 0);
            doubted.forEach(this::retire);
        } finally {
            lock.unlock();
        }
    }

    private void closeIfUnused(Link link) {
        if (link.users == 0) {
            link.opening.thenAccept(session -> client.close(session.connection()));
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            List<Link> links = new ArrayList<>(idle);
            if (shared != null) {
                links.add(shared);
            }
            links.forEach(this::retire);
        } finally {
            lock.unlock();
        }
        client.close();
    }

    /** A connection, open or being opened. The mutable fields are guarded by the lock. */
    private static final class Link {
        private final CompletableFuture<LettuceSession<StatefulRedisConnection<String, String>>> opening;
        private final boolean exclusive;
        private int users;
        private boolean retired;

        /** When the server last answered on it; zero if it has not. */
        private volatile long answeredNanos;

        Link(CompletableFuture<LettuceSession<StatefulRedisConnection<String, String>>> opening, boolean exclusive) {
            this.opening = opening;
            this.exclusive = exclusive;
        }

        boolean isBroken() {
            return opening.isDone()
                    && (opening.isCompletedExceptionally()
                            || !opening.join().connection().isOpen());
        }

        boolean isExpiring(long nanoTime) {
            return opening.isDone()
                    && !opening.isCompletedExceptionally()
                    && opening.join().isExpiring(nanoTime);
        }
    }

    /** A command and its outcome. */
    private record Outgoing(LettuceCommand command, AsyncCommand<String, String, Object> future) {
        Outgoing(LettuceCommand command) {
            this(command, command.async());
        }

        /** Returns whether it did not reach the connection. */
        boolean isRejected() {
            return future.isCompletedExceptionally() && !command.isEncoded();
        }
    }

    private final class LettuceLine implements Line {
        private final Link link;
        private final LettuceSession<StatefulRedisConnection<String, String>> session;
        private final StatefulRedisConnection<String, String> connection;

        LettuceLine(Link link, LettuceSession<StatefulRedisConnection<String, String>> session) {
            this.link = link;
            this.session = session;
            this.connection = session.connection();
        }

        @Override
        public List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
                throws NotSentException {
            long sentNanos = env.nanoTime();
            List<Outgoing> sent = send(commands);
            while (isTooEarly(sent) && deadline.nanosLeft() > 0) {
                env.park(this, ACTIVATION_NANOS);
                sent = send(commands);
            }
            List<@Nullable Object> replies = new ArrayList<>(commands.size());
            for (int i = 0; i < commands.size(); i++) {
                AsyncCommand<String, String, Object> future = sent.get(i).future;
                Waiting.until(env, future, deadline);
                if (!future.isDone()) {
                    undo.forEach(each -> connection.dispatch(new LettuceCommand(each).async()));
                    doubt(sentNanos);
                    retire();
                    throw failures.late(commands.get(i), deadline);
                }
                replies.add(reply(commands.get(i), future, sent.get(sent.size() - 1).command));
            }
            link.answeredNanos = env.nanoTime() | 1;
            return replies;
        }

        /** Sends commands in one go. */
        private List<Outgoing> send(List<RedisCommand> commands) {
            List<Outgoing> outgoing = new ArrayList<>(commands.size());
            for (RedisCommand command : commands) {
                outgoing.add(new Outgoing(new LettuceCommand(command)));
            }
            if (outgoing.size() == 1) {
                connection.dispatch(outgoing.get(0).future);
            } else {
                connection.dispatch(outgoing.stream().map(Outgoing::future).toList());
            }
            return outgoing;
        }

        /**
         * Returns whether Lettuce has rejected the commands because the connection, which needs a login, does not
         * accept commands yet.
         */
        private boolean isTooEarly(List<Outgoing> sent) {
            return sent.get(0).isRejected() && sent.stream().allMatch(Outgoing::isRejected) && connection.isOpen();
        }

        private @Nullable Object reply(
                RedisCommand command, AsyncCommand<String, String, Object> future, LettuceCommand last)
                throws NotSentException {
            try {
                return future.join();
            } catch (CompletionException | CancellationException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                if (cause instanceof RedisCommandExecutionException) {
                    return new ServerError(String.valueOf(cause.getMessage()));
                }
                retire();
                if (!last.isEncoded()) {
                    throw new NotSentException(cause);
                }
                throw failures.broken(command, cause);
            }
        }

        @Override
        public long silentNanos() {
            long answered = link.answeredNanos;
            return answered == 0 ? 0 : env.nanoTime() - answered;
        }

        @Override
        public void release() {
            giveBack(link);
        }

        @Override
        public void retire() {
            client.dialer().doubt();
            discard(link);
        }

        /** Removes the connection from this wire for good. */
        RedisLink keep() {
            return new LettuceLink(env, failures, client, session);
        }
    }
}
