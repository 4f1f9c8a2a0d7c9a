// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redis.RedisLink;
import dev.interlock.redlock.birth.Eligibility;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A connection to a process that has introduced itself. */
final class Session {
    final RedisLink link;

    /** The name of the process, or an empty text if it may not be asked. */
    final String runId;

    /** Whether the process may vote; {@code null} where servers are trusted. */
    final @Nullable Eligibility eligibility;

    /** Requests that wait until the birth record was read again; {@code null} unless it is being read. Guarded by the node's lock. */
    private @Nullable List<Request> waiting;

    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile long heardNanos;

    Session(RedisLink link, String runId, @Nullable Eligibility eligibility, long nowNanos) {
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

    /** Begins to read the birth record again, unless that has begun. */
    boolean beginEnrolment() {
        if (waiting != null) {
            return false;
        }
        waiting = new ArrayList<>();
        return true;
    }

    /** Lets a request wait until the birth record was read again, which has begun. */
    void awaitEnrolment(Request request) {
        if (waiting == null) {
            throw new IllegalStateException("the birth record is not being read");
        }
        waiting.add(request);
    }

    /** Ends the reading of the birth record, and returns the requests that waited for it. */
    List<Request> endEnrolment() {
        List<Request> waited = waiting == null ? List.of() : waiting;
        waiting = null;
        return waited;
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
