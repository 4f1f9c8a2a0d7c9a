// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisLink;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has the birth record of one node checked, over a connection that there is, and lets requests wait for that. Safe to use from any
 * thread; no method waits.
 */
final class Enrolment {
    /** How often a server that stands aside is told for how long this client has watched it. */
    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment env;
    private final int index;
    private final String name;
    private final Births births;
    private final Owner owner;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Request> waiting = new ArrayList<>();
    private @Nullable Session asked;
    private long askedNanos;

    /** Whom to tell. No method is called under a lock of this class. */
    interface Owner {
        /** The record was read. */
        void enrolled();

        /** The record was not read, and the connection is of no use any more. */
        void broken(Session session);

        /** A request is to be sent again. */
        void repeat(Request request);
    }

    Enrolment(Environment env, int index, String name, Births births, Owner owner) {
        this.env = env;
        this.index = index;
        this.name = name;
        this.births = births;
        this.owner = owner;
        this.askedNanos = env.nanoTime();
    }

    /** Tells the node what this client has watched, if that matters to clients that come later, and was not told a moment ago. */
    void tellIfDue(Session session, long nowNanos) {
        Eligibility eligibility = session.eligibility;
        if (eligibility != null
                && (eligibility.votesInNanos(nowNanos) > 0
                        ? isDue(nowNanos)
                        : eligibility.isNewsThatItVotes(nowNanos))) {
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

    /** Sends a request again when the record was read. */
    void repeatAfter(Session session, Request request) {
        lock.lock();
        try {
            waiting.add(request);
        } finally {
            lock.unlock();
        }
        begin(session);
    }

    /** Has the record checked, unless that has begun. */
    void begin(Session session) {
        Eligibility eligibility = Objects.requireNonNull(session.eligibility);
        lock.lock();
        try {
            if (asked == session) {
                return;
            }
            asked = session;
            askedNanos = env.nanoTime();
        } finally {
            lock.unlock();
        }
        session.noteSent(env.nanoTime());
        session.link.send(
                births.enrol(index, session.runId, eligibility), reply -> settle(session, eligibility, reply));
        session.link.readInBackground();
    }

    private void settle(Session session, Eligibility eligibility, RedisLink.Reply reply) {
        session.noteAnswer();
        LockBackendException failure = reply instanceof RedisLink.Reply.Value value
                ? learn(eligibility, value)
                : ((RedisLink.Reply.Failed) reply).cause();
        List<Request> repeated;
        lock.lock();
        try {
            if (asked == session) {
                asked = null;
            }
            repeated = List.copyOf(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        if (failure == null) {
            owner.enrolled();
        } else if (failure.reason() == Reason.REFUSED) {
            repeated.forEach(request -> request.answer(new Answer.Failed(NodeReport.Vote.FAILED, failure)));
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
