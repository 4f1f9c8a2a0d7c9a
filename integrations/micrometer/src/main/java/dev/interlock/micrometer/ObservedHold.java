// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The observation of one hold, which ends once. Keeps no reference to the lease, because the lease refers to this: a
 * handle that was dropped without being closed must stay unreachable to be found.
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
