// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The status of one server of the backend, as a factory knows it at one moment; see {@link
 * DistributedLockFactory#servers}. For operators and metrics, and not as the basis of decisions. Components may be
 * added in later versions: programs should read them and not make them. Instances are immutable and hold no secret.
 *
 * @param server the server's host and port
 * @param connected whether there is a connection
 * @param voting whether the server's vote counts when a lock is acquired now
 * @param votesIn for how long the server stands aside, for example after a restart; empty if it votes, or if that time
 *     is not known
 * @param condition what keeps the server from voting, in words, or an empty text
 * @param unanswered the number of requests that the server was sent and has not answered yet
 * @param waiting how many requests wait in this process until the server can be sent them
 * @param owing how long the oldest of the unanswered requests has been on its way; zero if there is none
 * @param latency the shortest of the last times, of some dozens, from when a request was sent until its reply was read;
 *     zero if there was none since the server was connected to. Replies that nobody waits for may be read some ten
 *     milliseconds late
 * @param connections how many connections to the server were opened one after the other, so that all but the first are
 *     reconnections
 */
public record ServerStatus(
        String server,
        boolean connected,
        boolean voting,
        Optional<Duration> votesIn,
        String condition,
        int unanswered,
        int waiting,
        Duration owing,
        Duration latency,
        long connections) {
    /**
     * Creates a status.
     *
     * @param server the server
     * @param connected whether there is a connection
     * @param voting whether the server votes
     * @param votesIn for how long the server does not vote yet
     * @param condition why the server does not vote
     * @param unanswered how many requests the server has not answered
     * @param waiting how many requests wait to be sent
     * @param owing how long the oldest of them has been on its way
     * @param latency how long the server takes to answer
     * @param connections how many connections were opened
     */
    public ServerStatus {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(votesIn, "votesIn");
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(owing, "owing");
        Objects.requireNonNull(latency, "latency");
    }

    /** Returns the status in words, on one line. */
    @Override
    public String toString() {
        String votes = voting ? " votes" : connected ? " does not vote" : " is not connected";
        return server
                + votes
                + votesIn.map(in -> ", but will in " + millis(in)).orElse("")
                + (latency.isZero() ? "" : ", answers in " + millis(latency))
                + (owing.isZero() ? "" : ", owes an answer for " + millis(owing))
                + (unanswered == 0 ? "" : ", unanswered " + unanswered)
                + (waiting == 0 ? "" : ", waiting " + waiting)
                + (connections <= 1 ? "" : ", connected " + connections + " times")
                + (condition.isEmpty() ? "" : " (" + condition + ")");
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", (double) duration.toNanos() / TimeUnit.MILLISECONDS.toNanos(1));
    }
}
