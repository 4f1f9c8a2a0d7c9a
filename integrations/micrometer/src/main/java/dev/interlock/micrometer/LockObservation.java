// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
import java.util.OptionalLong;

/** The observations that {@link ObservedLocks} makes. */
public enum LockObservation implements ObservationDocumentation {
    /** One acquisition of a lock, from the call to its end, successful or not. Re-entry is not an acquisition. */
    ACQUISITION,

    /** One hold of a lock, from its acquisition to its release or loss. Its scope is not opened. */
    HOLD;

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return switch (this) {
            case ACQUISITION -> AcquisitionConvention.class;
            case HOLD -> HoldConvention.class;
        };
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return switch (this) {
            case ACQUISITION -> new KeyName[] {Key.STRATEGY, Key.GROUP, Key.WAIT, Key.OUTCOME};
            case HOLD -> new KeyName[] {Key.STRATEGY, Key.GROUP, Key.OUTCOME, Key.CAUSE};
        };
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return new KeyName[] {Key.LOCK, Key.FENCING_TOKEN};
    }

    /** The keys of the observations. */
    public enum Key implements KeyName {
        /** The strategy of the factory. */
        STRATEGY("strategy"),
        /** The group of the lock. */
        GROUP("group"),
        /** The longest wait of an acquisition: {@code none}, {@code bounded} or {@code unbounded}. */
        WAIT("wait"),
        /**
         * The outcome. Of an acquisition: {@code acquired}, {@code taken}, {@code interrupted}, {@code cancelled},
         * {@code lost} or {@code failed}. Of a hold: {@code released} or {@code lost}.
         */
        OUTCOME("outcome"),
        /** The cause of a loss, such as {@code expired}; {@code none} if the hold was not lost. */
        CAUSE("cause"),
        /** The name of the lock; of high cardinality. */
        LOCK("lock"),
        /** The fencing token, {@code none} if there is none; of high cardinality. */
        FENCING_TOKEN("fencing.token");

        private final String key;

        Key(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

        static KeyValue token(OptionalLong fencingToken) {
            return FENCING_TOKEN.withValue(fencingToken.isPresent() ? Long.toString(fencingToken.getAsLong()) : "none");
        }
    }
}
