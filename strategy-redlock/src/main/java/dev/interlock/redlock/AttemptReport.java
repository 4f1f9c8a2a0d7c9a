// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The report of an attempt to acquire a lock, server by server. Instances are immutable and hold no secret.
 *
 * @param lockName the name of the lock
 * @param outcome the outcome of the attempt
 * @param elapsed how long it took
 * @param validity how much of the lease was left at its end, the allowance for clock drift taken off; zero unless
 *     granted
 * @param fencingToken the first fencing token, or empty
 * @param nodes the servers, in the order of the configuration
 * @see Listener
 * @see RedlockLocks#onAttempt
 */
public record AttemptReport(
        String lockName,
        Outcome outcome,
        Duration elapsed,
        Duration validity,
        OptionalLong fencingToken,
        List<NodeReport> nodes) {
    /** The outcome of an attempt. Constants may be added in later versions. */
    public enum Outcome {
        /** A majority granted the lock, for long enough. */
        GRANTED,
        /**
         * A majority answered, but did not grant the lock: somebody else holds it, or several clients asked at once.
         */
        REFUSED,
        /** No majority answered, or not in time. */
        FAILED
    }

    /**
     * Creates a report.
     *
     * @param lockName the name of the lock
     * @param outcome the outcome of the attempt
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

    /** Formats a time for messages. */
    static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", (double) duration.toNanos() / TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Override
    public String toString() {
        return "lock \"" + lockName + "\" " + outcome.name().toLowerCase(Locale.ROOT) + " after " + millis(elapsed)
                + (outcome == Outcome.GRANTED ? ", valid for " + millis(validity) : "") + ": "
                + nodes.stream().map(NodeReport::toString).collect(Collectors.joining("; "));
    }

    /**
     * A listener that is also told of each attempt to acquire a lock of {@code redlock}, with the vote of each server.
     * It is registered like any other listener, by {@link LockConfig.Builder#listener}. Other strategies never call
     * {@link #attempted}.
     */
    public interface Listener extends LockListener {
        /**
         * Called when an attempt has ended, on the thread that made it, which waits until this method returns: it must
         * not block. Several threads may call it at once. If it throws, the exception is logged and does not reach the
         * lock.
         *
         * @param report the report of the attempt
         */
        void attempted(AttemptReport report);
    }

    /** The listeners that get the reports of attempts. */
    static final class Listeners {
        private static final System.Logger LOG = System.getLogger(AttemptReport.class.getPackageName());

        private final List<Consumer<AttemptReport>> listeners;

        Listeners(List<Consumer<AttemptReport>> listeners) {
            this.listeners = List.copyOf(listeners);
        }

        /** Returns the listeners of a configuration, and one more. */
        static Listeners of(LockConfig config, @Nullable Consumer<AttemptReport> further) {
            List<Consumer<AttemptReport>> listeners = new ArrayList<>();
            for (LockListener listener : config.listeners()) {
                if (listener instanceof Listener attempts) {
                    listeners.add(attempts::attempted);
                }
            }
            if (further != null) {
                listeners.add(further);
            }
            return new Listeners(listeners);
        }

        /** Returns whether there is a listener. Without one, attempts make no reports. */
        boolean areWanted() {
            return !listeners.isEmpty() || LOG.isLoggable(System.Logger.Level.DEBUG);
        }

        void tell(AttemptReport report) {
            LOG.log(System.Logger.Level.DEBUG, report);
            for (Consumer<AttemptReport> listener : listeners) {
                try {
                    listener.accept(report);
                } catch (RuntimeException e) {
                    LOG.log(System.Logger.Level.WARNING, "a listener to attempts failed", e);
                }
            }
        }
    }
}
