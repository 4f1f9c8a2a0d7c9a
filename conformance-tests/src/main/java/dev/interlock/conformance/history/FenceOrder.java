// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history with fencing tokens, which say in which order the tenures must have been: then it is enough to give each
 * call the earliest moment that this order and its own times permit.
 */
final class FenceOrder {
    private final boolean reentrant;
    private final TreeMap<Long, Tenure> tenures = new TreeMap<>();
    private @Nullable Verdict finding;

    private FenceOrder(boolean reentrant) {
        this.reentrant = reentrant;
    }

    /** Returns a verdict, or {@code null} if acquisitions without a known outcome may explain what seems wrong. */
    static @Nullable Verdict judge(boolean reentrant, List<Operation> operations) {
        FenceOrder order = new FenceOrder(reentrant);
        Map<String, Tenure> current = new HashMap<>();
        for (Operation operation : operations) {
            order.add(operation, current);
        }
        Verdict verdict = order.finding == null ? order.sweep() : order.finding;
        boolean ghosts = operations.stream().anyMatch(it -> it.isAcquire() && !it.isCertain());
        return verdict.isValid() || !ghosts ? verdict : null;
    }

    private void add(Operation operation, Map<String, Tenure> current) {
        Tenure tenure = current.get(operation.process());
        if (!operation.isAcquire()) {
            release(operation, tenure);
        } else if (operation.isCertain()) {
            if (reentrant && tenure != null && tenure.holds > 0 && tenure.fence() == fence(operation)) {
                tenure.again(operation);
            } else {
                begin(operation, current);
            }
        }
    }

    private void begin(Operation operation, Map<String, Tenure> current) {
        Tenure tenure = new Tenure(operation);
        Tenure same = tenures.putIfAbsent(tenure.fence(), tenure);
        if (same != null) {
            found(Finding.repeated(same.first, operation));
        }
        current.put(operation.process(), tenure);
    }

    private void release(Operation release, @Nullable Tenure tenure) {
        if (!release.isCertain()) {
            if (tenure != null) {
                tenure.mayRelease(release);
            }
        } else if (tenure == null || tenure.holds == 0) {
            found(Finding.notHeld(release, null));
        } else {
            tenure.release(release);
        }
    }

    private void found(Verdict verdict) {
        if (finding == null) {
            finding = verdict;
        }
    }

    private Verdict sweep() {
        long now = Long.MIN_VALUE;
        Tenure last = null;
        for (Tenure tenure : tenures.values()) {
            if (last != null && now > tenure.first.end) {
                return clash(last, tenure);
            }
            long begin = Math.max(now, tenure.first.begin);
            long end = tenure.earliestEnd(begin);
            if (last == null || end > now) {
                last = tenure;
            }
            now = end;
        }
        return Verdict.valid();
    }

    private static Verdict clash(Tenure earlier, Tenure later) {
        if (earlier.first.begin > later.first.end) {
            return Finding.decreased(later.first, earlier.first);
        }
        return earlier.first.isOf(later.first)
                ? Finding.reentry(earlier.first, later.first)
                : Finding.overlap(earlier.first, earlier.rest, later.first);
    }

    private static long fence(Operation acquisition) {
        Long fence = acquisition.fence();
        if (fence == null) {
            throw new IllegalArgumentException("an acquisition without a fencing token has no place in their order");
        }
        return fence;
    }

    /** The calls of one process under one fencing token. */
    private static final class Tenure {
        final Operation first;
        final List<Operation> rest = new ArrayList<>();
        private final List<Operation> mayRelease = new ArrayList<>();
        private Operation last;
        int holds = 1;

        Tenure(Operation first) {
            this.first = first;
            this.last = first;
        }

        long fence() {
            return FenceOrder.fence(first);
        }

        void again(Operation acquisition) {
            holds++;
            next(acquisition);
        }

        void release(Operation release) {
            holds--;
            next(release);
        }

        private void next(Operation operation) {
            last = operation;
            rest.add(operation);
        }

        void mayRelease(Operation release) {
            mayRelease.add(release);
            rest.add(release);
        }

        /** The earliest moment at which the lock can have been free again, if the tenure began at a given one. */
        long earliestEnd(long begin) {
            long lastMoment = Math.max(begin, last.begin);
            if (holds == 0) {
                return lastMoment;
            }
            long released = holds <= mayRelease.size() ? mayRelease.get(holds - 1).begin : Operation.NEVER;
            return Math.max(lastMoment, Math.min(released, first.lostFrom));
        }
    }
}
