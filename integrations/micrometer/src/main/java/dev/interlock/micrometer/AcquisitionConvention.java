// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.Locale;

/**
 * Names the observation of one acquisition and its key values. Each method does what
 * {@link LockObservation#ACQUISITION} documents unless it is overridden.
 */
public interface AcquisitionConvention extends ObservationConvention<AcquisitionContext> {
    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof AcquisitionContext;
    }

    @Override
    default String getName() {
        return "interlock.acquisition";
    }

    @Override
    default String getContextualName(AcquisitionContext context) {
        return "acquire " + context.group();
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(AcquisitionContext context) {
        return KeyValues.of(
                LockObservation.Key.STRATEGY.withValue(context.strategy()),
                LockObservation.Key.GROUP.withValue(context.group()),
                LockObservation.Key.WAIT.withValue(context.waiting().name().toLowerCase(Locale.ROOT)),
                LockObservation.Key.OUTCOME.withValue(context.outcome().name().toLowerCase(Locale.ROOT)));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(AcquisitionContext context) {
        return KeyValues.of(
                LockObservation.Key.LOCK.withValue(context.lockName()),
                LockObservation.Key.token(context.fencingToken()));
    }
}
