// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt to get a lock went, server by server. Instances are immutable and hold no secret.
 *
 * @param lockName the name of the lock
 * @param outcome what came of it
 * @param elapsed how long it took
 * @param validity how much of the lease was left at its end, the allowance for clock drift taken off; zero unless granted
 * @param fencingToken the first fencing token, or empty
 * @param nodes the servers, in the order of the configuration
 * @see RedlockLocks#onAttempt
 */
public record AttemptReport(
        String lockName,
        Outcome outcome,
        Duration elapsed,
        Duration validity,
        OptionalLong fencingToken,
        List<NodeReport> nodes) {
    /** What came of an attempt. Constants may be added in later versions. */
    public enum Outcome {
        /** A majority gave the lock, for long enough. */
        GRANTED,
        /** A majority answered, but did not give the lock: somebody else holds it, or several asked at once. */
        REFUSED,
        /** No majority answered, or not in time. */
        FAILED
    }

    /**
     * Creates a report.
     *
     * @param lockName the name of the lock
     * @param outcome what came of the attempt
     * @param elapsed how long it took
     * @param validity how much of the lease was left
     * @param fencingToken the first fencing token, or empty
     * @param nodes the servers; copied
     */
    public AttemptReport {
        Objects.requireNonNull(lockName, "lockName");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(elapsed, "elapsed");
        Objects.requireNonNull(validity, "validity");
        Objects.requireNonNull(fencingToken, "fencingToken");
        nodes = List.copyOf(nodes);
    }

    /** A time as messages show it. */
    static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", (double) duration.toNanos() / TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Override
    public String toString() {
        return "lock \"" + lockName + "\" " + outcome.name().toLowerCase(Locale.ROOT) + " after " + millis(elapsed)
                + (outcome == Outcome.GRANTED ? ", valid for " + millis(validity) : "") + ": "
                + nodes.stream().map(NodeReport::toString).collect(Collectors.joining("; "));
    }

    /** Where the reports of attempts go. */
    static final class Listener {
        private static final System.Logger LOG = System.getLogger(AttemptReport.class.getPackageName());

        private final @Nullable Consumer<AttemptReport> listener;

        Listener(@Nullable Consumer<AttemptReport> listener) {
            this.listener = listener;
        }

        /** Whether anybody reads them; most attempts need none. */
        boolean areWanted() {
            return listener != null || LOG.isLoggable(System.Logger.Level.DEBUG);
        }

        void tell(AttemptReport report) {
            LOG.log(System.Logger.Level.DEBUG, report);
            if (listener != null) {
                listener.accept(report);
            }
        }
    }
}
