// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The current state of one group of locks, and the group's meters in each registry. Safe to use from any thread. */
final class GroupState {
    final LockCounts held = new LockCounts();
    final LockCounts waiting = new LockCounts();
    final LockCounts outages = new LockCounts();
    private final Tags tags;
    private final List<GroupMeters> meters = new CopyOnWriteArrayList<>();

    GroupState(Tags tags) {
        this.tags = tags;
    }

    void register(MeterRegistry registry) {
        meters.add(new GroupMeters(registry, tags, this));
    }

    void each(Consumer<GroupMeters> action) {
        meters.forEach(action);
    }

    /**
     * Resets the state, because events are missing. Locks that are held, waited for or in an outage are counted again
     * when they change.
     */
    void forget() {
        held.clear();
        waiting.clear();
        outages.clear();
    }

    void close() {
        meters.forEach(GroupMeters::remove);
        meters.clear();
        forget();
    }
}
