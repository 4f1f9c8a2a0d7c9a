// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.Locale;

/**
 * Names the observation of one hold and its key values. Each method does what {@link LockObservation#HOLD} documents
 * unless it is overridden.
 */
public interface HoldConvention extends ObservationConvention<HoldContext> {
    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof HoldContext;
    }

    @Override
    default String getName() {
        return "interlock.hold";
    }

    @Override
    default String getContextualName(HoldContext context) {
        return "hold " + context.group();
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(HoldContext context) {
        return KeyValues.of(
                LockObservation.Key.STRATEGY.withValue(context.strategy()),
                LockObservation.Key.GROUP.withValue(context.group()),
                LockObservation.Key.OUTCOME.withValue(context.loss().isPresent() ? "lost" : "released"),
                LockObservation.Key.CAUSE.withValue(context.loss()
                        .map(cause -> cause.name().toLowerCase(Locale.ROOT))
                        .orElse("none")));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(HoldContext context) {
        return KeyValues.of(
                LockObservation.Key.LOCK.withValue(context.lockName()),
                LockObservation.Key.token(context.fencingToken()));
    }
}
