// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.time.Duration;
import java.util.Objects;

/**
 * The vote of one server in an attempt to acquire a lock. Instances are immutable and hold no secret.
 *
 * @param node the server, without its password
 * @param vote the server's vote, or why there is none
 * @param elapsed from the beginning of the attempt until the server's answer, or until the attempt no longer waited for
 *     it
 * @param detail what went wrong, or an empty text
 * @see AttemptReport
 */
public record NodeReport(String node, Vote vote, Duration elapsed, String detail) {
    /** The vote of a server. Constants may be added in later versions. */
    public enum Vote {
        /** The server granted the lock. */
        GRANTED("granted"),
        /** Somebody else's token holds the lock there. */
        REFUSED("refused"),
        /** The server cannot be reached, or answered with an error. */
        FAILED("failed"),
        /** The server did not answer in time, or was not asked because it has been silent for a while. */
        TIMED_OUT("timed out"),
        /** The server started so recently that it may have forgotten who holds the lock, and does not vote. */
        STANDS_ASIDE("stands aside"),
        /** The server had not answered when the others had decided. */
        NOT_AWAITED("not awaited");

        private final String words;

        Vote(String words) {
            this.words = words;
        }

        /** Returns the words for messages. */
        String words() {
            return words;
        }
    }

    /**
     * Creates a report.
     *
     * @param node the server, without its password
     * @param vote the server's vote
     * @param elapsed the time until the answer
     * @param detail what went wrong, or an empty text
     */
    public NodeReport {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(vote, "vote");
        Objects.requireNonNull(elapsed, "elapsed");
        Objects.requireNonNull(detail, "detail");
    }

    @Override
    public String toString() {
        return node + " " + vote.words() + " after " + AttemptReport.millis(elapsed)
                + (detail.isEmpty() ? "" : " (" + detail + ")");
    }
}
