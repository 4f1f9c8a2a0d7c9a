// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.Lease;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Creates the observations of one factory. Safe to use from any thread. */
final class ObservationFactory {
    private static final AcquisitionConvention DEFAULT_ACQUISITION = new AcquisitionConvention() {};
    private static final HoldConvention DEFAULT_HOLD = new HoldConvention() {};

    private final ObservationRegistry registry;
    private final Grouping grouping;
    private final String strategy;
    private final @Nullable AcquisitionConvention acquisitionConvention;
    private final @Nullable HoldConvention holdConvention;

    ObservationFactory(
            ObservationRegistry registry,
            Grouping grouping,
            String strategy,
            @Nullable AcquisitionConvention acquisitionConvention,
            @Nullable HoldConvention holdConvention) {
        this.registry = registry;
        this.grouping = grouping;
        this.strategy = strategy;
        this.acquisitionConvention = acquisitionConvention;
        this.holdConvention = holdConvention;
    }

    /** Starts the observation of an acquisition. */
    ObservedAcquisition acquisition(String lockName, AcquisitionContext.Wait wait) {
        AcquisitionContext context = new AcquisitionContext(strategy, lockName, grouping.of(lockName), wait);
        return new ObservedAcquisition(
                context,
                registry.getCurrentObservation(),
                SafeObservation.start(
                        registry,
                        () -> Observation.createNotStarted(
                                acquisitionConvention, DEFAULT_ACQUISITION, () -> context, registry)));
    }

    /**
     * Starts the observation of a hold, which ends with its release, or by itself if it is lost.
     *
     * @param parent the observation that was current when the lock was requested, perhaps on another thread; null if
     *     none
     */
    ObservedHold hold(Lease lease, @Nullable Observation parent) {
        HoldContext context =
                new HoldContext(strategy, lease.lockName(), grouping.of(lease.lockName()), lease.fencingToken());
        ObservedHold hold = new ObservedHold(
                context,
                SafeObservation.start(
                        registry,
                        () -> Observation.createNotStarted(holdConvention, DEFAULT_HOLD, () -> context, registry)
                                .parentObservation(parent)));
        lease.onLoss(hold::lost);
        return hold;
    }
}
