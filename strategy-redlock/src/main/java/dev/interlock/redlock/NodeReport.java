// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.time.Duration;
import java.util.Objects;

/**
 * What one server had to say to an attempt to get a lock. Instances are immutable and hold no secret.
 *
 * @param node the server, without its password
 * @param vote what it said, or why it said nothing
 * @param elapsed from the beginning of the attempt until the server's answer, or until the attempt no longer waited for it
 * @param detail what went wrong, or an empty text
 * @see AttemptReport
 */
public record NodeReport(String node, Vote vote, Duration elapsed, String detail) {
    /** What a server said. Constants may be added in later versions. */
    public enum Vote {
        /** It gave the lock. */
        GRANTED("granted"),
        /** Somebody else's token holds the lock there. */
        REFUSED("refused"),
        /** It cannot be reached, or answered with an error. */
        FAILED("failed"),
        /** It did not answer in time, or has been silent for a while and was not asked. */
        TIMED_OUT("timed out"),
        /** It has started too short a time ago to vote, since it may have forgotten who holds the lock. */
        STANDS_ASIDE("stands aside"),
        /** It had not answered when the others had decided. */
        NOT_AWAITED("not awaited");

        private final String words;

        Vote(String words) {
            this.words = words;
        }

        /** As it is written in a message. */
        String words() {
            return words;
        }
    }

    /**
     * Creates a report.
     *
     * @param node the server, without its password
     * @param vote what it said
     * @param elapsed until when
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
