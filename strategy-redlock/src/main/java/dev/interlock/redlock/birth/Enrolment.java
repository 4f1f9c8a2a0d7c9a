// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the birth record of one node over the present connection, and lets requests wait for the result. Safe to use
 * from any thread; no method waits.
 *
 * @param <S> the type of the connections
 * @param <R> the type of the requests
 */
public final class Enrolment<S extends Enrolment.Connection, R> {
    /** The interval at which this client tells a server that stands aside how long it has watched it. */
    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment env;
    private final int index;
    private final String name;
    private final String address;
    private final Births births;
    private final Owner<S, R> owner;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<R> waiting = new ArrayList<>();
    private @Nullable S asked;
    private long askedNanos;

    /** A connection to a process that has a birth record. */
    public interface Connection {
        /**
         * Returns the eligibility of the process.
         *
         * @return whether it may vote
         */
        Eligibility enrolled();

        /**
         * Returns the run_id of the process.
         *
         * @return the name under which it has introduced itself
         */
        String runId();

        /**
         * Sends a command; another thread reads the reply.
         *
         * @param command the command
         * @param onReply called with the reply
         */
        void send(RedisCommand command, Consumer<RedisLink.Reply> onReply);
    }

    /**
     * Callbacks of the enrolment. None is called under a lock of this class.
     *
     * @param <S> the type of the connections
     * @param <R> the type of the requests
     */
    public interface Owner<S, R> {
        /** The record was read. */
        void enrolled();

        /**
         * The record could not be read, and the connection must be given up.
         *
         * @param session the connection
         */
        void broken(S session);

        /**
         * The record cannot be read, so a request was not executed.
         *
         * @param request the request
         * @param cause why
         */
        void refused(R request, LockBackendException cause);

        /**
         * A request must be sent again.
         *
         * @param request the request
         */
        void repeat(R request);
    }

    /**
     * Creates the enrolment of a node.
     *
     * @param env time
     * @param index which node it is
     * @param name what it is called in messages
     * @param address its host and port
     * @param births the records
     * @param owner whom to tell
     */
    public Enrolment(Environment env, int index, String name, String address, Births births, Owner<S, R> owner) {
        this.env = env;
        this.index = index;
        this.name = name;
        this.address = address;
        this.births = births;
        this.owner = owner;
        this.askedNanos = env.nanoTime();
    }

    /**
     * Tells the node how long this client has watched it, if that matters to later clients and was not told a moment
     * ago.
     *
     * @param session the connection
     * @param nowNanos the time
     */
    public void tellIfDue(S session, long nowNanos) {
        Eligibility eligibility = session.enrolled();
        if (eligibility.votesInNanos(nowNanos) > 0 ? isDue(nowNanos) : eligibility.isNewsThatItVotes(nowNanos)) {
            begin(session);
        }
    }

    private boolean isDue(long nowNanos) {
        lock.lock();
        try {
            return nowNanos - askedNanos > WATCH_NANOS;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a request again after the record was read.
     *
     * @param session the connection
     * @param request the request
     */
    public void repeatAfter(S session, R request) {
        lock.lock();
        try {
            waiting.add(request);
        } finally {
            lock.unlock();
        }
        begin(session);
    }

    /**
     * Starts a check of the record, unless one has begun.
     *
     * @param session the connection
     */
    public void begin(S session) {
        Eligibility eligibility = session.enrolled();
        lock.lock();
        try {
            if (session.equals(asked)) {
                return;
            }
            asked = session;
            askedNanos = env.nanoTime();
        } finally {
            lock.unlock();
        }
        session.send(
                births.enrol(index, address, session.runId(), eligibility),
                reply -> settle(session, eligibility, reply));
    }

    private void settle(S session, Eligibility eligibility, RedisLink.Reply reply) {
        LockBackendException failure = reply instanceof RedisLink.Reply.Value value
                ? learn(eligibility, value)
                : ((RedisLink.Reply.Failed) reply).cause();
        List<R> repeated;
        lock.lock();
        try {
            if (session.equals(asked)) {
                asked = null;
            }
            repeated = List.copyOf(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        if (failure == null) {
            owner.enrolled();
        } else if (failure.reason() == Reason.REFUSED
                || (reply instanceof RedisLink.Reply.Failed failed && failed.isFromServer())) {
            repeated.forEach(request -> owner.refused(request, failure));
            return;
        } else {
            owner.broken(session);
        }
        repeated.forEach(owner::repeat);
    }

    private @Nullable LockBackendException learn(Eligibility eligibility, RedisLink.Reply.Value reply) {
        try {
            births.learn(eligibility, index, name, Objects.requireNonNullElse(reply.value(), ""));
            return null;
        } catch (LockBackendException e) {
            return e;
        }
    }
}
