// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The observation of one hold, which ends once. Knows nothing of the lease: the lease knows this, and a handle that is dropped without
 * being closed is found because nobody knows it.
 */
final class ObservedHold {
    private final HoldContext context;
    private final SafeObservation observation;
    private final AtomicBoolean ended = new AtomicBoolean();

    ObservedHold(HoldContext context, SafeObservation observation) {
        this.context = context;
        this.observation = observation;
    }

    void released() {
        if (ended.compareAndSet(false, true)) {
            observation.stop();
        }
    }

    void lost(LossCause cause) {
        if (ended.compareAndSet(false, true)) {
            context.lost(cause);
            observation.error(new LeaseLostException(context.lockName(), cause));
            observation.stop();
        }
    }
}
