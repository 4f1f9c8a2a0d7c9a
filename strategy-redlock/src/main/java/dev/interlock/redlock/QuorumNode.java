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
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.birth.Enrolment;
import dev.interlock.redlock.release.Outbox;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One node of the quorum: understands what it answers. Safe to use from any thread; no method waits for the server. */
final class QuorumNode implements NodeLine.Owner, Enrolment.Owner<Session, Request> {
    /** What scripts answer whose birth record is not as the client knows it. */
    private static final Long OTHER_RECORD = -2L;

    /** What they answer if the client trusts the server, and others do not. */
    private static final Long NOT_TRUSTED = -3L;

    /** Nobody waits for the answer. */
    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    private final String name;
    private final RedisNode node;
    private final Events events;
    private final NodeLine line;
    private final @Nullable Enrolment<Session, Request> enrolment;

    /** Whom to tell. */
    interface Events {
        /** There is another connection than before, or none any more; may be called under a lock of the node. */
        void onSession();

        /** A birth record was read; is never called under a lock of a node. */
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
        this.name = server.name();
        this.node = server.node();
        this.events = events;
        this.enrolment = births == null ? null : new Enrolment<>(env, index, name, births, this);
        this.line = new NodeLine(env, index, server, settings, births, timeout, this);
    }

    String name() {
        return name;
    }

    RedisNode node() {
        return node;
    }

    /** Sends requests. */
    NodeLine line() {
        return line;
    }

    /**
     * Sends a release, at once or when there is a connection, and again after a failure as long as the lease may last.
     *
     * @param untilNanos when the lease is over
     */
    Request release(RedisCommand command, Settings.Patience patience, long untilNanos, Consumer<Answer> onAnswer) {
        Request request = newRelease(new Outbox.Undelivered(command, untilNanos), patience, onAnswer);
        line.ask(request);
        return request;
    }

    @Override
    public Request newRelease(Outbox.Undelivered release) {
        return newRelease(release, NO_PATIENCE, answer -> {});
    }

    private Request newRelease(Outbox.Undelivered release, Settings.Patience patience, Consumer<Answer> onAnswer) {
        return new Request(recordId -> release.release(), Request.Kind.OTHER, patience, answer -> {
            if (answer instanceof Answer.Failed failed && failed.cause().reason() != Reason.REFUSED) {
                line.deliverLater(release);
            }
            onAnswer.accept(answer);
        });
    }

    /** The name of the process that is connected, or an empty text. */
    String runId() {
        Session current = line.session();
        return current == null ? "" : current.runId;
    }

    /** Whether the process that is connected may vote; {@code null} if there is none, or servers are trusted. */
    @Nullable
    Eligibility eligibility() {
        Session current = line.session();
        return current == null ? null : current.eligibility;
    }

    /** Has the birth record of the process that is connected checked, and tells it what is known of others. */
    void enrol() {
        Session current = line.session();
        if (current != null && enrolment != null) {
            enrolment.begin(current);
        }
    }

    @Override
    public void onAsked(Session session, long nowNanos) {
        if (enrolment != null) {
            enrolment.tellIfDue(session, nowNanos);
        }
    }

    @Override
    public void onReply(Session from, Request request, RedisLink.Reply reply) {
        from.noteAnswer();
        settle(from, request, reply);
        line.sendOn();
    }

    private void settle(Session from, Request request, RedisLink.Reply reply) {
        if (!(reply instanceof RedisLink.Reply.Value value)) {
            fail(from, request, ((RedisLink.Reply.Failed) reply).cause());
        } else if (enrolment != null && begins(value, OTHER_RECORD)) {
            repeat(enrolment, from, request);
        } else if (begins(value, NOT_TRUSTED)) {
            fail(
                    from,
                    request,
                    new LockBackendException(
                            Reason.REFUSED,
                            name + " is used by clients with the option cold-start=wait, whose locks a client with"
                                    + " cold-start=trust could take: set the same for all clients"));
        } else if (request.kind == Request.Kind.READ) {
            request.answer(new Answer.Said(Optional.ofNullable(value.value()), from));
        } else if (value.value() == null) {
            fail(
                    from,
                    request,
                    new LockBackendException(Reason.REFUSED, name + " answered nil, which no script of ours does"));
        } else {
            request.answer(new Answer.Said(Objects.requireNonNull(value.value()), from));
        }
    }

    private static boolean begins(RedisLink.Reply.Value reply, Long code) {
        return reply.value() instanceof List<?> list && !list.isEmpty() && code.equals(list.get(0));
    }

    private void repeat(Enrolment<Session, Request> reading, Session from, Request request) {
        if (request.mayRepeat()) {
            reading.repeatAfter(from, request);
        } else {
            request.answer(new Answer.Failed(
                    NodeReport.Vote.STANDS_ASIDE,
                    new LockBackendException(
                            Reason.UNREACHABLE, name + " has a birth record that others change all the time")));
        }
    }

    private void fail(Session from, Request request, LockBackendException cause) {
        Answer answer = cause.reason() == Reason.REFUSED
                ? new Answer.Failed(NodeReport.Vote.FAILED, cause)
                : line.recover(from, request, cause);
        if (answer != null) {
            request.answer(answer);
        }
    }

    @Override
    public void onConnected() {
        events.onSession();
        events.onRecord();
    }

    @Override
    public void onDisconnected() {
        events.onSession();
    }

    @Override
    public void enrolled() {
        events.onRecord();
        line.sendOn();
    }

    @Override
    public void broken(Session session) {
        line.giveUp(session);
    }

    @Override
    public void refused(Request request, LockBackendException cause) {
        request.answer(new Answer.Failed(NodeReport.Vote.FAILED, cause));
    }

    @Override
    public void repeat(Request request) {
        line.ask(request);
    }

    void close() {
        line.close();
    }
}
