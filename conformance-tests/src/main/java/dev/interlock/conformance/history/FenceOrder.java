// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history with fencing tokens. The tokens give the order of the holds, so it is enough to give each call the
 * earliest moment that this order and its own times permit.
 */
final class FenceOrder {
    private final boolean reentrant;
    private final TreeMap<Long, Hold> holds = new TreeMap<>();
    private @Nullable Verdict finding;

    private FenceOrder(boolean reentrant) {
        this.reentrant = reentrant;
    }

    /**
     * Returns a verdict, or {@code null} if the history looks invalid but acquisitions of unknown outcome may explain
     * it.
     */
    static @Nullable Verdict judge(boolean reentrant, List<Operation> operations) {
        FenceOrder order = new FenceOrder(reentrant);
        Map<String, Hold> current = new HashMap<>();
        for (Operation operation : operations) {
            order.add(operation, current);
        }
        Verdict verdict = order.finding == null ? order.sweep() : order.finding;
        boolean ghosts = operations.stream().anyMatch(it -> it.isAcquire() && !it.isCertain());
        return verdict.isValid() || !ghosts ? verdict : null;
    }

    private void add(Operation operation, Map<String, Hold> current) {
        Hold hold = current.get(operation.process());
        if (!operation.isAcquire()) {
            release(operation, hold);
        } else if (operation.isCertain()) {
            if (reentrant && hold != null && hold.depth > 0 && hold.fence() == fence(operation)) {
                hold.again(operation);
            } else {
                begin(operation, current);
            }
        }
    }

    private void begin(Operation operation, Map<String, Hold> current) {
        Hold hold = new Hold(operation);
        Hold same = holds.putIfAbsent(hold.fence(), hold);
        if (same != null) {
            found(Finding.repeated(same.first, operation));
        }
        Hold before = current.put(operation.process(), hold);
        if (before != null && before.fence() > hold.fence()) {
            // Their times need not tell, if the clock is coarse.
            found(Finding.decreased(before.first, operation));
        }
    }

    private void release(Operation release, @Nullable Hold hold) {
        if (!release.isCertain()) {
            if (hold != null) {
                hold.mayRelease(release);
            }
        } else if (hold == null || hold.depth == 0) {
            found(Finding.notHeld(release, null));
        } else {
            hold.release(release);
        }
    }

    private void found(Verdict verdict) {
        if (finding == null) {
            finding = verdict;
        }
    }

    private Verdict sweep() {
        long now = Long.MIN_VALUE;
        Hold last = null;
        for (Hold hold : holds.values()) {
            if (last != null && now > hold.first.end) {
                return clash(last, hold);
            }
            long begin = Math.max(now, hold.first.begin);
            long end = hold.earliestEnd(begin);
            if (last == null || end > now) {
                last = hold;
            }
            now = end;
        }
        return Verdict.valid();
    }

    private static Verdict clash(Hold earlier, Hold later) {
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
    private static final class Hold {
        final Operation first;
        final List<Operation> rest = new ArrayList<>();
        private final List<Operation> mayRelease = new ArrayList<>();
        private Operation last;
        int depth = 1;

        Hold(Operation first) {
            this.first = first;
            this.last = first;
        }

        long fence() {
            return FenceOrder.fence(first);
        }

        void again(Operation acquisition) {
            depth++;
            next(acquisition);
        }

        void release(Operation release) {
            depth--;
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

        /** The earliest moment at which the lock can have been free again, if the hold began at {@code begin}. */
        long earliestEnd(long begin) {
            long lastMoment = Math.max(begin, last.begin);
            if (depth == 0) {
                return lastMoment;
            }
            long released = depth <= mayRelease.size() ? mayRelease.get(depth - 1).begin : Operation.NEVER;
            return Math.max(lastMoment, Math.min(released, first.lostFrom));
        }
    }
}
