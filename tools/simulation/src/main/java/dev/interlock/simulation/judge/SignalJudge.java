// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.judge;

import dev.interlock.simulation.network.SimulationObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks that each signal of a condition wakes somebody who waited for it then, and that nobody else is woken, but
 * those who may take a holder for dead.
 *
 * <p>A signal is for anyone who waits when it is sent, since only the strategy knows who that is first. It is taken by
 * one of them who returns. It is done when that one gives the lock back, and is open again if its process dies before.
 */
public final class SignalJudge {
    private final Judge judge;
    private final boolean strict;
    private final LongSupplier now;
    private final SimulationObserver observer;

    /** All who wait, in the order in which they began. */
    private final Set<Waiter> waiting = new LinkedHashSet<>();

    /** The signals that are not done, in the order in which they were sent. */
    private final List<Signal> signals = new ArrayList<>();

    /** Until when somebody may hold a lock by a lease that is not renewed. */
    private final Map<String, Long> unrenewedUntil = new HashMap<>();

    private int sent;

    /** One wait of a thread. */
    public static final class Waiter {
        private final String lock;
        private final String condition;
        private final String who;

        /** Whether the lease of a holder may have ended while it waited. */
        private boolean mayWake;

        private Waiter(String lock, String condition, String who) {
            this.lock = lock;
            this.condition = condition;
            this.who = who;
        }
    }

    /** A signal, and those of whom one has to take it. */
    private static final class Signal {
        private final String lock;
        private final String name;
        private final Set<Waiter> candidates;
        private @Nullable Waiter taker;

        /** Whether one who took it has died with it. */
        private boolean passedOn;

        private Signal(String lock, String name, Set<Waiter> candidates) {
            this.lock = lock;
            this.name = name;
            this.candidates = candidates;
        }
    }

    /**
     * @param judge told of violations, and of those who ask for a lock
     * @param strict whether nobody may be woken without a signal
     * @param now the world's clock, in ns
     * @param observer told of those who were
     */
    public SignalJudge(Judge judge, boolean strict, LongSupplier now, SimulationObserver observer) {
        this.judge = judge;
        this.strict = strict;
        this.now = now;
        this.observer = observer;
    }

    /** A thread begins to wait for a condition. */
    public Waiter waits(String lock, String condition, String who) {
        Waiter waiter = new Waiter(lock, condition, who);
        waiter.mayWake = now.getAsLong() < unrenewedUntil.getOrDefault(lock, 0L);
        waiting.add(waiter);
        return waiter;
    }

    /** A thread begins to hold a lock, and may hold it until its lease ends. */
    public void mayExpire(String lock, long leaseNanos) {
        unrenewedUntil.merge(lock, now.getAsLong() + leaseNanos, Math::max);
        waiting.stream().filter(waiter -> waiter.lock.equals(lock)).forEach(waiter -> waiter.mayWake = true);
    }

    public boolean isWaiting(Waiter waiter) {
        return waiting.contains(waiter);
    }

    public boolean isAnybodyWaiting() {
        return !waiting.isEmpty();
    }

    /** The time of a wait is over, or its thread was interrupted: it asks for the lock from now on. */
    public void mayLeave(Waiter waiter) {
        judge.asks(waiter.lock, waiter.who);
    }

    /** A thread has signalled a condition while it held the lock. */
    public void sent(String lock, String condition, String by, boolean all) {
        Set<Waiter> candidates = new LinkedHashSet<>();
        for (Waiter waiter : waiting) {
            if (waiter.lock.equals(lock) && waiter.condition.equals(condition)) {
                candidates.add(waiter);
            }
        }
        if (all) {
            candidates.forEach(one -> open(lock, by, new LinkedHashSet<>(Set.of(one))));
        } else if (!candidates.isEmpty()) {
            open(lock, by, candidates);
        }
    }

    private void open(String lock, String by, Set<Waiter> candidates) {
        Signal signal = new Signal(lock, "whoever " + by + " has signalled (" + ++sent + ")", candidates);
        signals.add(signal);
        judge.asks(lock, signal.name);
    }

    /** A wait has ended, with or without the lock. */
    public void ended(Waiter waiter, boolean signalled) {
        waiting.remove(waiter);
        if (signalled) {
            take(waiter);
        }
        forget(waiter);
    }

    private void take(Waiter waiter) {
        Optional<Signal> first = signals.stream()
                .filter(signal -> signal.taker == null && signal.candidates.contains(waiter))
                .findFirst();
        if (first.isPresent()) {
            Signal signal = first.get();
            signal.taker = waiter;
            judge.answered(waiter.lock, signal.name);
            if (signal.passedOn) {
                observer.faultHadEffect("signal-passed-on");
            }
        } else if (strict && !waiter.mayWake) {
            judge.violated(waiter.who + " was woken, and no signal was for it");
        } else {
            observer.faultHadEffect("woken-without-signal");
        }
    }

    /** A signal for one who waits no longer is for the others. */
    private void forget(Waiter waiter) {
        Iterator<Signal> all = signals.iterator();
        while (all.hasNext()) {
            Signal signal = all.next();
            signal.candidates.remove(waiter);
            if (signal.candidates.isEmpty() && signal.taker == null) {
                all.remove();
                judge.answered(signal.lock, signal.name);
            }
        }
    }

    /** Whoever was woken is about to give the lock back. */
    public void done(Waiter waiter) {
        signals.removeIf(signal -> signal.taker == waiter);
    }

    /** The process of a client has died. What it was signalled for is for others. */
    public void died(String client) {
        for (Signal signal : List.copyOf(signals)) {
            Waiter taker = signal.taker;
            if (taker != null && taker.who.startsWith(client + "/")) {
                signal.taker = null;
                signal.passedOn = true;
                // Those who have left since then are candidates no more.
                forget(taker);
            }
        }
        for (Waiter waiter : List.copyOf(waiting)) {
            if (waiter.who.startsWith(client + "/")) {
                waiting.remove(waiter);
                forget(waiter);
            }
        }
    }

    /** Checks that nobody waits whom a signal was for, when everything has settled. */
    public void lookAtSettled() {
        signals.stream()
                .filter(signal -> signal.taker == null)
                .findFirst()
                .ifPresent(signal -> judge.violated(signal.name + " waits still: "
                        + signal.candidates.stream().map(one -> one.who).toList()));
    }
}
