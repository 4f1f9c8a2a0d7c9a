// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LockBackendException;
import dev.interlock.LockListener;
import dev.interlock.LockListener.Acquired;
import dev.interlock.LockListener.EventsDropped;
import dev.interlock.LockListener.Lost;
import dev.interlock.LockListener.OutageBegan;
import dev.interlock.LockListener.OutageEnded;
import dev.interlock.LockListener.QueueChanged;
import dev.interlock.LockListener.Released;
import dev.interlock.LockListener.RenewalFailed;
import dev.interlock.LockListener.Renewed;
import dev.interlock.LockListener.Requested;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.OptionalLong;

/** Sends a listener the events of a factory of the strategy {@code test}. */
record Events(LockListener listener) {
    static final String STRATEGY = "test";

    private static final LockBackendException FAILURE =
            new LockBackendException(LockBackendException.Reason.UNREACHABLE, "no answer");

    void requested(String lock) {
        listener.requested(new Requested(STRATEGY, lock));
    }

    void acquired(String lock, Duration waited, int attempts, boolean local) {
        listener.acquired(new Acquired(STRATEGY, lock, waited, attempts, local, OptionalLong.of(1)));
    }

    void acquired(String lock) {
        acquired(lock, Duration.ZERO, 1, false);
    }

    void released(String lock, Duration held) {
        listener.released(new Released(STRATEGY, lock, held));
    }

    void released(String lock) {
        released(lock, Duration.ZERO);
    }

    void renewed(String lock, Duration took) {
        listener.renewed(new Renewed(STRATEGY, lock, took, Duration.ofSeconds(30)));
    }

    void renewalFailed(String lock) {
        listener.renewalFailed(new RenewalFailed(STRATEGY, lock, FAILURE));
    }

    void lost(String lock, LossCause cause, Duration held) {
        listener.lost(new Lost(STRATEGY, lock, cause, held));
    }

    void outageBegan(String lock) {
        listener.outageBegan(new OutageBegan(STRATEGY, lock, FAILURE));
    }

    void outageEnded(String lock, Duration lasted) {
        listener.outageEnded(new OutageEnded(STRATEGY, lock, lasted));
    }

    void queueChanged(String lock, int length) {
        listener.queueChanged(new QueueChanged(STRATEGY, lock, length));
    }

    void dropped(long count) {
        listener.eventsDropped(new EventsDropped(STRATEGY, count));
    }
}
