// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LeaseLostException;
import dev.interlock.micrometer.AcquisitionContext.Outcome;
import io.micrometer.observation.Observation;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The observation of one acquisition, until it ends in one of three ways. */
final class ObservedAcquisition {
    private final AcquisitionContext context;
    private final @Nullable Observation parent;
    private final SafeObservation observation;

    ObservedAcquisition(AcquisitionContext context, @Nullable Observation parent, SafeObservation observation) {
        this.context = context;
        this.parent = parent;
        this.observation = observation;
    }

    /** Returns the observation that was current when the lock was requested. */
    @Nullable
    Observation parent() {
        return parent;
    }

    /** Makes this the current observation of the thread, until the acquisition ends on the same thread. */
    ObservedAcquisition here() {
        observation.openScope();
        return this;
    }

    void acquired(OptionalLong fencingToken) {
        context.acquired(fencingToken);
        observation.stop();
    }

    void taken() {
        context.ended(Outcome.TAKEN);
        observation.stop();
    }

    void threw(Throwable failure) {
        Outcome outcome = outcome(failure);
        context.ended(outcome);
        if (outcome == Outcome.FAILED || outcome == Outcome.LOST) {
            observation.error(failure);
        }
        observation.stop();
    }

    private static Outcome outcome(Throwable failure) {
        if (failure instanceof InterruptedException) {
            return Outcome.INTERRUPTED;
        }
        if (failure instanceof CancellationException) {
            return Outcome.CANCELLED;
        }
        return failure instanceof LeaseLostException ? Outcome.LOST : Outcome.FAILED;
    }
}
