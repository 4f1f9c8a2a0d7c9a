// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.OptionalLong;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The events of JDK Flight Recorder. Frequent events (acquisitions, holds, renewals) are off by default; rare and
 * important ones (losses, outages) are on by default.
 */
final class FlightRecorderEvents {
    /** The value of an unknown time span, as in the events of the JDK. */
    static final long UNKNOWN = Long.MIN_VALUE;

    // isEnabled() is true while a recording wants the class of the event; asking an existing instance allocates
    // nothing.
    private static final AcquisitionEvent ACQUISITION = new AcquisitionEvent();
    private static final HoldEvent HOLD = new HoldEvent();
    private static final RenewalEvent RENEWAL = new RenewalEvent();
    private static final LossEvent LOSS = new LossEvent();
    private static final OutageEvent OUTAGE = new OutageEvent();

    static {
        // Registered early, so that tools list the event before a factory with several servers is created.
        new ServerRecorder.ServerEvent();
    }

    private final String strategy;

    /**
     * Creates the events of a factory.
     *
     * @throws LinkageError if the runtime lacks the module {@code jdk.jfr}
     */
    FlightRecorderEvents(String strategy) {
        this.strategy = strategy;
    }

    /** The fields that all events have. */
    @Category("Interlock")
    abstract static class LockEvent extends Event {
        @Label("Lock")
        @Nullable
        String lock;

        @Label("Strategy")
        @Nullable
        String strategy;
    }

    @Name("dev.interlock.Acquisition")
    @Label("Lock Acquisition")
    @Description("A distributed lock was acquired")
    @Category("Interlock")
    @Enabled(false)
    static final class AcquisitionEvent extends LockEvent {
        @Label("Waited")
        @Description("Time from the request to the acquisition")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Attempts")
        @Description("How often the backend was asked")
        int attempts;

        @Label("Local")
        @Description("Whether another thread of the same factory handed the lock over")
        boolean local;

        @Label("Fencing Token")
        @Description("The fencing token; 0 if there is none")
        long fencingToken;
    }

    @Name("dev.interlock.Hold")
    @Label("Lock Hold")
    @Description("A distributed lock was released by its holder")
    @Category("Interlock")
    @Enabled(false)
    static final class HoldEvent extends LockEvent {
        @Label("Held")
        @Description("Time from the acquisition to the release")
        @Timespan(Timespan.NANOSECONDS)
        long held;
    }

    @Name("dev.interlock.Renewal")
    @Label("Lease Renewal")
    @Description("The lease of a held lock was renewed, or could not be renewed")
    @Category("Interlock")
    @Enabled(false)
    @StackTrace(false)
    static final class RenewalEvent extends LockEvent {
        @Label("Succeeded")
        boolean succeeded;

        @Label("Took")
        @Description("How long the request took")
        @Timespan(Timespan.NANOSECONDS)
        long took = UNKNOWN;

        @Label("Remaining")
        @Description("How long the lease is valid after the renewal")
        @Timespan(Timespan.NANOSECONDS)
        long remaining = UNKNOWN;

        @Label("Failure")
        @Nullable
        String failure;
    }

    @Name("dev.interlock.Loss")
    @Label("Lock Loss")
    @Description("A distributed lock was lost before its holder released it")
    @Category("Interlock")
    @StackTrace(false)
    static final class LossEvent extends LockEvent {
        @Label("Cause")
        @Nullable
        String cause;

        @Label("Held")
        @Description("Time from the acquisition to the loss")
        @Timespan(Timespan.NANOSECONDS)
        long held;
    }

    @Name("dev.interlock.Outage")
    @Label("Lock Backend Outage")
    @Description("The backend stopped answering threads that wait for a lock, or answers again")
    @Category("Interlock")
    @StackTrace(false)
    static final class OutageEvent extends LockEvent {
        @Label("Over")
        @Description("Whether the backend answers again")
        boolean over;

        @Label("Lasted")
        @Description("Time from the first failure to the answer")
        @Timespan(Timespan.NANOSECONDS)
        long lasted = UNKNOWN;

        @Label("Failure")
        @Nullable
        String failure;
    }

    boolean isOn() {
        return ACQUISITION.isEnabled()
                || HOLD.isEnabled()
                || RENEWAL.isEnabled()
                || LOSS.isEnabled()
                || OUTAGE.isEnabled();
    }

    void acquired(String name, long waitedNanos, int attempts, boolean local, OptionalLong fencingToken) {
        if (ACQUISITION.isEnabled()) {
            AcquisitionEvent event = new AcquisitionEvent();
            event.waited = waitedNanos;
            event.attempts = attempts;
            event.local = local;
            event.fencingToken = fencingToken.orElse(0);
            commit(event, name);
        }
    }

    void released(String name, long heldNanos) {
        if (HOLD.isEnabled()) {
            HoldEvent event = new HoldEvent();
            event.held = heldNanos;
            commit(event, name);
        }
    }

    void renewed(String name, long tookNanos, Duration remaining) {
        if (RENEWAL.isEnabled()) {
            RenewalEvent event = new RenewalEvent();
            event.succeeded = true;
            event.took = tookNanos;
            event.remaining = remaining.toNanos();
            commit(event, name);
        }
    }

    void renewalFailed(String name, LockBackendException cause) {
        if (RENEWAL.isEnabled()) {
            RenewalEvent event = new RenewalEvent();
            event.failure = cause.getMessage();
            commit(event, name);
        }
    }

    void lost(String name, LossCause cause, long heldNanos) {
        if (LOSS.isEnabled()) {
            LossEvent event = new LossEvent();
            event.cause = cause.name();
            event.held = heldNanos;
            commit(event, name);
        }
    }

    void outageBegan(String name, LockBackendException cause) {
        if (OUTAGE.isEnabled()) {
            OutageEvent event = new OutageEvent();
            event.failure = cause.getMessage();
            commit(event, name);
        }
    }

    void outageEnded(String name, long lastedNanos) {
        if (OUTAGE.isEnabled()) {
            OutageEvent event = new OutageEvent();
            event.over = true;
            event.lasted = lastedNanos;
            commit(event, name);
        }
    }

    private void commit(LockEvent event, String name) {
        event.lock = name;
        event.strategy = strategy;
        event.commit();
    }
}
