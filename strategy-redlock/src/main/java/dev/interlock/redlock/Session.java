// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.birth.Enrolment;
import dev.interlock.redlock.line.Connected;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to a process that has introduced itself, and when that process is asked. */
final class Session implements Connected.Connection, Enrolment.Connection {
    /** A server that has owed an answer for longer is shed: it is not asked for votes until it has caught up. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How many answers a server may owe before requests wait here: many enough to keep it busy, and few enough to come soon. */
    private static final int MOST_OWED = 512;

    final RedisLink link;

    /** The name of the process, or an empty text if it may not be asked. */
    final String runId;

    /** Whether the process may vote; {@code null} where servers are trusted. */
    final @Nullable Eligibility eligibility;

    private final Environment env;
    private final String node;

    /** When the requests were sent to which the server owes an answer. It answers in this order. */
    private final Queue<Long> owed = new ConcurrentLinkedQueue<>();

    private final AtomicInteger owedCount = new AtomicInteger();

    /** @param node what the server is called in messages */
    Session(Environment env, String node, RedisLink link, String runId, @Nullable Eligibility eligibility) {
        this.env = env;
        this.node = node;
        this.link = link;
        this.runId = runId;
        this.eligibility = eligibility;
    }

    /** The state of the birth record for which requests are meant; empty where servers are trusted. */
    String recordId() {
        return eligibility == null ? "" : eligibility.recordId();
    }

    @Override
    public boolean hasSuccessor() {
        return eligibility != null && eligibility.hasSuccessor();
    }

    /** Returns why the process is not asked, if so. */
    @Nullable
    Answer abstention(Request.Kind kind, long nowNanos) {
        long wait = asideNanos(kind, nowNanos);
        if (eligibility != null && wait > 0) {
            String exclusion = eligibility.exclusion();
            if (exclusion != null) {
                return standsAside(exclusion);
            }
            return standsAside((eligibility.isDisputed()
                            ? "is used by clients of another cluster, or in another process's place, and does not vote"
                                    + " until that is over for max-lease: name each server in one cluster only; it may vote in "
                            : "has started, or lost its data, too short a time ago to vote, as far as clients have seen (the longest max-lease of"
                                    + " any of them is " + eligibility.longestLease() + "), and may do so in ")
                    + (TimeUnit.NANOSECONDS.toMillis(wait) + 1) + " ms");
        }
        return null;
    }

    /** How long what the process says to a question must not count yet; zero or less if it counts. */
    long asideNanos(Request.Kind kind, long nowNanos) {
        if (eligibility == null) {
            return 0;
        }
        return switch (kind) {
            case VOTE -> eligibility.votesInNanos(nowNanos);
            case RENEWAL -> eligibility.confirmsInNanos(nowNanos);
            case READ, OTHER -> 0;
        };
    }

    private Answer standsAside(String why) {
        return new Answer.Failed(
                NodeReport.Vote.STANDS_ASIDE, new LockBackendException(Reason.UNREACHABLE, node + " " + why));
    }

    void noteSent(long nowNanos) {
        owed.add(nowNanos);
        owedCount.incrementAndGet();
    }

    void noteAnswer() {
        if (owed.poll() != null) {
            owedCount.decrementAndGet();
        }
    }

    @Override
    public long owingNanos(long nowNanos) {
        Long oldest = owed.peek();
        return oldest == null ? 0 : nowNanos - oldest;
    }

    @Override
    public Eligibility enrolled() {
        return Objects.requireNonNull(eligibility, "servers are trusted");
    }

    @Override
    public String runId() {
        return runId;
    }

    @Override
    public void send(RedisCommand command, Consumer<RedisLink.Reply> onReply) {
        noteSent(env.nanoTime());
        link.send(command, reply -> {
            noteAnswer();
            onReply.accept(reply);
        });
        link.readInBackground();
    }

    @Override
    public boolean isOpen() {
        return link.isOpen();
    }

    @Override
    public void abort() {
        link.abort();
    }

    @Override
    public void close() {
        link.close();
    }

    /** Whether the server is so slow that it is not asked for votes. */
    boolean isShed(long nowNanos) {
        return owingNanos(nowNanos) > PATIENCE_NANOS;
    }

    /** Whether the server owes as many answers as it may. */
    boolean isFull() {
        return owedCount.get() >= MOST_OWED;
    }
}
