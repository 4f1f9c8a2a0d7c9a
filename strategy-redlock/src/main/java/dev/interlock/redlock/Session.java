// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.RedisLink;
import dev.interlock.redlock.birth.Eligibility;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A connection to a process that has introduced itself, and when that process is asked. */
final class Session {
    /** After how long a server that owes an answer is not asked for votes until it gives one. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    final RedisLink link;

    /** The name of the process, or an empty text if it may not be asked. */
    final String runId;

    /** Whether the process may vote; {@code null} where servers are trusted. */
    final @Nullable Eligibility eligibility;

    private final String node;
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile long heardNanos;

    /** @param node what the server is called in messages */
    Session(String node, RedisLink link, String runId, @Nullable Eligibility eligibility, long nowNanos) {
        this.node = node;
        this.link = link;
        this.runId = runId;
        this.eligibility = eligibility;
        this.heardNanos = nowNanos;
    }

    /** The state of the birth record for which requests are meant; empty where servers are trusted. */
    String recordId() {
        return eligibility == null ? "" : eligibility.recordId();
    }

    /** Whether another process has taken the place of this one, so that nothing it says counts any more. */
    boolean hasSuccessor() {
        return eligibility != null && eligibility.hasSuccessor();
    }

    /** Returns why the process is not asked, if so. */
    @Nullable
    Answer abstention(Request.Kind kind, long nowNanos) {
        long wait = asideNanos(kind, nowNanos);
        if (eligibility != null && wait > 0) {
            return standsAside(
                    eligibility.isDisputed()
                            ? "is used by a client with another list of servers, or under another index, and does not vote"
                                    + " until that is over for max-lease: give all clients the same servers in the same order,"
                                    + " and name each once; it may vote in "
                            : "has started, or lost its data, too short a time ago to vote, as far as clients have seen (the longest max-lease of"
                                    + " any of them is " + eligibility.longestLease() + "), and may do so in ",
                    wait);
        }
        long silent = silentNanos(nowNanos);
        return kind == Request.Kind.VOTE && silent > SILENCE_NANOS
                ? new Answer.Failed(
                        NodeReport.Vote.TIMED_OUT,
                        new LockBackendException(
                                Reason.UNREACHABLE,
                                node + " has not answered for " + TimeUnit.NANOSECONDS.toMillis(silent)
                                        + " ms, and was not asked"))
                : null;
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

    private Answer standsAside(String why, long waitNanos) {
        return new Answer.Failed(
                NodeReport.Vote.STANDS_ASIDE,
                new LockBackendException(
                        Reason.UNREACHABLE, node + " " + why + (TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1) + " ms"));
    }

    void noteSent(long nowNanos) {
        if (unanswered.getAndIncrement() == 0) {
            heardNanos = nowNanos;
        }
    }

    void noteAnswer(long nowNanos) {
        heardNanos = nowNanos;
        unanswered.decrementAndGet();
    }

    /** For how long the server has owed an answer without giving any. */
    long silentNanos(long nowNanos) {
        return unanswered.get() == 0 ? 0 : nowNanos - heardNanos;
    }
}
