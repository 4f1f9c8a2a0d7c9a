// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.birth.Enrolment;
import dev.interlock.redlock.line.Latency;
import dev.interlock.redlock.line.NodeConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to a process that has introduced itself, and the conditions under which the process is asked. */
final class Session implements NodeConnection.Connection, Enrolment.Connection {
    /**
     * The number of answers that a server may owe before further requests wait here: enough to keep it busy, and so few
     * that they arrive soon.
     */
    private static final int MOST_OWED = 512;

    final RedisLink link;

    /** The name of the process, or an empty text if it may not be asked. */
    final String runId;

    /** Whether the process may vote; {@code null} where servers are trusted. */
    final @Nullable Eligibility eligibility;

    private final Environment env;
    private final String node;
    private final long shedNanos;

    /** The sending times of the requests that the server has not answered. It answers in this order. */
    private final Queue<Long> owed = new ConcurrentLinkedQueue<>();

    private final AtomicInteger owedCount = new AtomicInteger();

    /** The digests of the scripts of releases that were sent over this connection. */
    private final Set<String> releases = ConcurrentHashMap.newKeySet();

    private final Latency latency = new Latency();

    /**
     * @param node the name of the server in messages
     * @param shedNanos a server that has owed an answer for longer is shed: it is not asked for votes until it has
     *     caught up, in nanoseconds
     */
    Session(
            Environment env,
            String node,
            RedisLink link,
            String runId,
            @Nullable Eligibility eligibility,
            long shedNanos) {
        this.env = env;
        this.node = node;
        this.shedNanos = shedNanos;
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

    /**
     * Returns the form in which a release is sent. The first call of a script is sent in full: by its digest, to a
     * server that does not know it, it would be sent once more, behind the next request for the lock.
     */
    RedisCommand inOrder(RedisCommand release) {
        LuaScript script = release.script();
        return script != null && releases.add(script.sha1()) ? release.inFull() : release;
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

    /** Returns for how long the process's answers to such requests do not count yet; zero or less if they count. */
    long asideNanos(Request.Kind kind, long nowNanos) {
        if (eligibility == null) {
            return 0;
        }
        return switch (kind) {
            case VOTE -> eligibility.votesInNanos(nowNanos);
            case RENEWAL -> eligibility.confirmsInNanos(nowNanos);
            case READ, RELEASE, OTHER -> 0;
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
        Long sent = owed.poll();
        if (sent != null) {
            owedCount.decrementAndGet();
            latency.note(env.nanoTime() - sent);
        }
    }

    /** The latency of the server in nanoseconds; zero if it has not answered yet. */
    long latencyNanos() {
        return latency.nanos();
    }

    /** The number of answers that the server owes. */
    int owedCount() {
        return owedCount.get();
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

    /** Returns why the server has no vote now, or an empty text. */
    String whyNoVote(long nowNanos) {
        if (hasSuccessor()) {
            return "another process has taken its place";
        }
        if (abstention(Request.Kind.VOTE, nowNanos) instanceof Answer.Failed failed) {
            return String.valueOf(failed.cause().getMessage());
        }
        return isShed(nowNanos) ? "it is too slow, and not asked until it has caught up" : "";
    }

    /** Returns for how long the server still stands aside; {@code null} if it does not, or if that is not known. */
    @Nullable
    Duration votesIn(long nowNanos) {
        long wait = asideNanos(Request.Kind.VOTE, nowNanos);
        return wait <= 0 || eligibility == null || eligibility.exclusion() != null ? null : Duration.ofNanos(wait);
    }

    /** Returns whether the server is so slow that it is not asked for votes. */
    boolean isShed(long nowNanos) {
        return owingNanos(nowNanos) > shedNanos;
    }

    /** Returns whether the server owes as many answers as it may. */
    boolean isFull() {
        return owedCount.get() >= MOST_OWED;
    }
}
