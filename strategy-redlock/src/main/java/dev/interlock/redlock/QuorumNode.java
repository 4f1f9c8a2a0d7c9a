// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.ServerStatus;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.birth.Enrolment;
import dev.interlock.redlock.release.Lateness;
import dev.interlock.redlock.release.Outbox;
import dev.interlock.redlock.release.Redelivery;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node of the quorum. It interprets the node's replies. Safe to use from any thread; no method waits for the
 * server.
 */
final class QuorumNode implements NodeLine.Owner, Enrolment.Owner<Session, Request> {
    /** The reply of a script if the birth record is not the one that the client knows. */
    private static final Long OTHER_RECORD = -2L;

    /** The reply of a script if this client trusts the server, and other clients do not. */
    private static final Long NOT_TRUSTED = -3L;

    /** For requests whose answers nobody waits for. */
    private static final Settings.Patience NO_PATIENCE = new Settings.Patience(0, 0);

    /** How long a node that has refused to keep a queue is no lead, so that waiters move to other nodes. */
    private static final long QUEUELESS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment env;
    private final String name;
    private final String address;
    private final RedisNode node;
    private final Events events;
    private final Settings settings;
    private final Redelivery redelivery;
    private final NodeLine line;
    private final @Nullable Enrolment<Session, Request> enrolment;
    private final Lateness lateness;
    private volatile long keepsQueuesFromNanos;

    /** The error with which the node answered the last request for a vote, if it did. */
    private volatile @Nullable String refusal;

    /** Callbacks about the node. */
    interface Events {
        /** The connection has changed or ended. May be called under a lock of the node. */
        void onSession();

        /** A birth record was read. Never called under a lock of a node. */
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
        this.name = server.name();
        this.address = server.address();
        this.settings = settings;
        this.node = server.node();
        this.events = events;
        this.enrolment = births == null ? null : new Enrolment<>(env, index, name, address, births, this);
        this.line = new NodeLine(env, index, server, settings, births, timeout, this);
        this.redelivery = new Redelivery(env, this::redeliver);
        this.keepsQueuesFromNanos = env.nanoTime();
        this.lateness = new Lateness(env::nanoTime);
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

    /** Returns how long to wait for this node, given how long to wait for the others. */
    Settings.Patience patience(Settings.Patience others) {
        return settings.patience(address, others);
    }

    /** How long this node may owe an answer and stay the lead of a lock. */
    long leadSilenceNanos() {
        return settings.leadSilenceNanos(address);
    }

    /** Returns the status of the node. */
    ServerStatus state() {
        NodeLine.Load load = line.load();
        Session current = line.session();
        if (current == null || !current.isOpen()) {
            LockBackendException failure = load.lastFailure();
            return new ServerStatus(
                    address,
                    false,
                    false,
                    Optional.empty(),
                    failure == null ? "" : String.valueOf(failure.getMessage()),
                    0,
                    load.waiting(),
                    Duration.ZERO,
                    Duration.ZERO,
                    load.connections());
        }
        long now = env.nanoTime();
        String refused = refusal;
        String whyNot = refused == null ? current.whyNoVote(now) : refused;
        Duration votesIn = current.votesIn(now);
        return new ServerStatus(
                address,
                true,
                whyNot.isEmpty(),
                Optional.ofNullable(votesIn),
                whyNot,
                current.owedCount(),
                load.waiting(),
                Duration.ofNanos(current.owingNanos(now)),
                Duration.ofNanos(current.latencyNanos()),
                load.connections());
    }

    /** Notes that the node votes, but has refused to queue a claim, for lack of memory or of permission. */
    void noteQueueRefused() {
        keepsQueuesFromNanos = env.nanoTime() + QUEUELESS_NANOS;
        refusal = null;
    }

    /** Returns whether this node accepts queues of waiters. */
    boolean keepsQueues(long nowNanos) {
        return nowNanos - keepsQueuesFromNanos >= 0;
    }

    /** Tells whether releases wait for this node as their lead. */
    Lateness lateness() {
        return lateness;
    }

    private void redeliver(Outbox.Undelivered release) {
        line.deliverLater(release);
        line.sendOn();
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
        return new Request(recordId -> release.release(), Request.Kind.RELEASE, patience, answer -> {
            if (answer instanceof Answer.Failed failed && failed.cause().reason() != Reason.REFUSED) {
                if (failed.isFromServer()) {
                    redelivery.add(release);
                } else {
                    line.deliverLater(release);
                }
            }
            onAnswer.accept(answer);
        });
    }

    /** The name of the process that is connected, or an empty text. */
    String runId() {
        Session current = line.session();
        return current == null ? "" : current.runId;
    }

    /**
     * Returns the eligibility of the connected process to vote; {@code null} if there is none, or servers are trusted.
     */
    @Nullable
    Eligibility eligibility() {
        Session current = line.session();
        return current == null ? null : current.eligibility;
    }

    /** Checks the birth record of the connected process, and tells the process what is known of others. */
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
            fail(from, request, (RedisLink.Reply.Failed) reply);
        } else if (enrolment != null && begins(value, OTHER_RECORD)) {
            repeat(enrolment, from, request);
        } else if (begins(value, NOT_TRUSTED)) {
            refuse(
                    request,
                    misused(
                            "is used by clients with the option cold-start=wait, whose locks a client with cold-start=trust"
                                    + " could take: set the same for all clients"));
        } else if (request.kind == Request.Kind.READ) {
            request.answer(new Answer.Said(Optional.ofNullable(value.value()), from));
        } else if (value.value() == null) {
            refuse(request, misused("answered nil, which no script of ours does"));
        } else {
            if (request.kind == Request.Kind.VOTE && refusal != null) {
                refusal = null;
            }
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

    private void refuse(Request request, LockBackendException cause) {
        if (request.kind == Request.Kind.VOTE) {
            refusal = cause.getMessage();
        }
        request.answer(new Answer.Failed(NodeReport.Vote.FAILED, cause, true));
    }

    private LockBackendException misused(String how) {
        return new LockBackendException(Reason.REFUSED, name + " " + how);
    }

    private void fail(Session from, Request request, RedisLink.Reply.Failed failed) {
        if (failed.isFromServer() || failed.cause().reason() == Reason.REFUSED) {
            // A new connection would not help: the error is about the node, for example that it has no memory.
            refuse(request, failed.cause());
            return;
        }
        Answer answer = line.recover(from, request, failed.cause());
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
