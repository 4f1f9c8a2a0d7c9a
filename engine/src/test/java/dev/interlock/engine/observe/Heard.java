// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import dev.interlock.LockListener;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A listener that records its events. */
public class Heard implements LockListener {
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    /** Takes the next events, and waits for them. */
    public List<Object> next(int count) throws InterruptedException {
        Object[] taken = new Object[count];
        for (int i = 0; i < count; i++) {
            taken[i] = events.poll(30, TimeUnit.SECONDS);
            if (taken[i] == null) {
                throw new AssertionError("only " + i + " events of " + count);
            }
        }
        return List.of(taken);
    }

    public List<Object> rest() {
        return List.copyOf(events);
    }

    public void hear(Object event) {
        events.add(event);
    }

    @Override
    public void requested(Requested event) {
        hear(event);
    }

    @Override
    public void acquired(Acquired event) {
        hear(event);
    }

    @Override
    public void released(Released event) {
        hear(event);
    }

    @Override
    public void renewed(Renewed event) {
        hear(event);
    }

    @Override
    public void renewalFailed(RenewalFailed event) {
        hear(event);
    }

    @Override
    public void lost(Lost event) {
        hear(event);
    }

    @Override
    public void outageBegan(OutageBegan event) {
        hear(event);
    }

    @Override
    public void outageEnded(OutageEnded event) {
        hear(event);
    }

    @Override
    public void queueChanged(QueueChanged event) {
        hear(event);
    }

    @Override
    public void eventsDropped(EventsDropped event) {
        hear(event);
    }
}
