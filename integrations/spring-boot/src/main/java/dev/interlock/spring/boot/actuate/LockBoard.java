// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.LockListener;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keeps the present state of a factory's locks, as its events report it. A monitor. */
final class LockBoard implements LockListener {
    private static final int LOSSES_KEPT = 50;

    private final Map<String, LocksEndpoint.HeldLock> held = new TreeMap<>();
    private final Map<String, Integer> waiting = new TreeMap<>();
    private final Deque<LocksEndpoint.LostLock> losses = new ArrayDeque<>();
    private long lossCount;
    private long eventsDropped;

    synchronized LocksEndpoint.FactoryDescriptor describe(String strategy) {
        List<LocksEndpoint.WaitedLock> waited = new ArrayList<>();
        waiting.forEach((name, threads) -> waited.add(new LocksEndpoint.WaitedLock(name, threads)));
        return new LocksEndpoint.FactoryDescriptor(
                strategy, List.copyOf(held.values()), waited, lossCount, List.copyOf(losses), eventsDropped);
    }

    synchronized LocksEndpoint.@Nullable HeldLock held(String name) {
        return held.get(name);
    }

    synchronized int waiting(String name) {
        return waiting.getOrDefault(name, 0);
    }

    @Override
    public synchronized void acquired(Acquired event) {
        held.put(
                event.lockName(),
                new LocksEndpoint.HeldLock(event.lockName(), Instant.now(), token(event.fencingToken()), null, null));
    }

    private static @Nullable Long token(OptionalLong token) {
        return token.isPresent() ? token.getAsLong() : null;
    }

    @Override
    public synchronized void renewed(Renewed event) {
        Instant now = Instant.now();
        held.computeIfPresent(
                event.lockName(),
                (name, lock) -> new LocksEndpoint.HeldLock(
                        name, lock.since(), lock.fencingToken(), now, now.plus(event.remaining())));
    }

    @Override
    public synchronized void released(Released event) {
        held.remove(event.lockName());
    }

    @Override
    public synchronized void lost(Lost event) {
        held.remove(event.lockName());
        lossCount++;
        losses.addFirst(new LocksEndpoint.LostLock(
                event.lockName(),
                Instant.now(),
                event.cause().name(),
                event.cause().summary(),
                event.held()));
        if (losses.size() > LOSSES_KEPT) {
            losses.removeLast();
        }
    }

    @Override
    public synchronized void queueChanged(QueueChanged event) {
        if (event.length() == 0) {
            waiting.remove(event.lockName());
        } else {
            waiting.put(event.lockName(), event.length());
        }
    }

    @Override
    public synchronized void eventsDropped(EventsDropped event) {
        eventsDropped += event.count();
    }
}
