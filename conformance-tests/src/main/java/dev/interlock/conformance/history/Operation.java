// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A call on one lock that had an effect, or may have had one. Times are relative to a common base. */
final class Operation {
    /** Stands for the end of a call of unknown outcome, and for the time of a loss that never happened. */
    static final long NEVER = Long.MAX_VALUE;

    private final Event invocation;
    private final @Nullable Event completion;
    private final List<Event> losses = new ArrayList<>(0);

    /** The call of the same process before this one, if it is certain to have taken effect. */
    private final @Nullable Operation previous;

    final long begin;
    final long end;

    /** The time from which on the hold that begins with this acquisition may have been lost. */
    long lostFrom = NEVER;

    private Operation(Event invocation, @Nullable Event completion, @Nullable Operation previous, long base) {
        this.invocation = invocation;
        this.completion = completion;
        this.previous = previous;
        this.begin = invocation.nanos() - base;
        if (completion == null || completion.type() == Event.Type.UNKNOWN) {
            this.end = NEVER;
        } else {
            this.end = completion.nanos() - base;
            completion.validNanos().ifPresent(valid -> lostFrom = end + Math.min(valid, NEVER - Math.max(end, 0)));
        }
    }

    /**
     * Makes operations of the events of one lock, in the order in which they began.
     *
     * @throws IllegalArgumentException if a process does not make one call after another in time
     */
    static List<Operation> of(List<Event> events, long base) {
        List<Event> inOrder = new ArrayList<>(events);
        inOrder.sort(Comparator.comparingLong(Event::sequence));
        Map<String, Calls> processes = new HashMap<>();
        for (Event event : inOrder) {
            processes.computeIfAbsent(event.process(), it -> new Calls(base)).add(event);
        }
        List<Operation> operations = new ArrayList<>();
        processes.values().forEach(calls -> operations.addAll(calls.end()));
        operations.sort(Comparator.<Operation>comparingLong(it -> it.begin).thenComparingLong(Operation::order));
        return operations;
    }

    boolean isAcquire() {
        return invocation.op() == Op.ACQUIRE;
    }

    /** When the call began, by {@link System#nanoTime}. */
    long nanos() {
        return invocation.nanos();
    }

    /** Returns whether the call is known to have taken effect before it ended. */
    boolean isCertain() {
        return end != NEVER;
    }

    String process() {
        return invocation.process();
    }

    String lock() {
        return invocation.lock();
    }

    /** The fencing token of an acquisition that certainly took effect, if it has one. */
    @Nullable
    Long fence() {
        return isCertain() && completion != null && completion.fence().isPresent()
                ? Long.valueOf(completion.fence().getAsLong())
                : null;
    }

    @Nullable
    Operation previous() {
        return previous;
    }

    /** The position of this call among the calls of its process. */
    long order() {
        return invocation.sequence();
    }

    boolean isOf(Operation other) {
        return process().equals(other.process());
    }

    /** The recorded events of this call. */
    Stream<Event> events() {
        return Stream.concat(Stream.ofNullable(completion), Stream.concat(Stream.of(invocation), losses.stream()));
    }

    private void lose(Event loss, long base) {
        losses.add(loss);
        lostFrom = Math.min(lostFrom, loss.nanos() - base);
    }

    /** The calls of one process. */
    private static final class Calls {
        private final long base;
        private final List<Operation> operations = new ArrayList<>();
        private final List<Operation> notLost = new ArrayList<>();
        private @Nullable Event open;
        private long now = Long.MIN_VALUE;
        private @Nullable Operation last;

        Calls(long base) {
            this.base = base;
        }

        void add(Event event) {
            if (event.op() == Op.LOST) {
                lose(event);
                return;
            }
            long nanos = event.nanos() - base;
            if (nanos < now) {
                throw new IllegalArgumentException(event.process() + " goes back in time (#" + event.sequence()
                        + "); are the names of processes unique, and all of one machine?");
            }
            now = nanos;
            if (event.type() == Event.Type.INVOKE) {
                begin(event);
            } else {
                end(event);
            }
        }

        private void lose(Event loss) {
            if (loss.type() != Event.Type.OK) {
                throw new IllegalArgumentException("a loss is always OK, and this one is not: " + loss);
            }
            // What began after the moment of the loss is another hold.
            List<Operation> lost = notLost.stream()
                    .filter(it -> it.begin <= loss.nanos() - base)
                    .filter(it -> loss.fence().isEmpty()
                            || it.fence() == null
                            || it.fence().equals(loss.fence().getAsLong()))
                    .toList();
            lost.forEach(it -> it.lose(loss, base));
            notLost.removeAll(lost);
        }

        private void begin(Event invocation) {
            if (open != null) {
                throw new IllegalArgumentException(invocation.process() + " begins a call (#" + invocation.sequence()
                        + ") before the one before (#" + open.sequence() + ") has ended");
            }
            open = invocation;
        }

        private void end(Event completion) {
            Event invocation = open;
            if (invocation == null || invocation.op() != completion.op()) {
                throw new IllegalArgumentException(completion.process() + " ends a call (#" + completion.sequence()
                        + ") that it did not begin; are the names of processes unique, and is the history whole?");
            }
            open = null;
            if (completion.type() != Event.Type.FAIL) {
                add(invocation, completion);
            }
        }

        private void add(Event invocation, @Nullable Event completion) {
            Operation operation = new Operation(invocation, completion, last, base);
            operations.add(operation);
            if (operation.isAcquire()) {
                notLost.add(operation);
            }
            if (operation.isCertain()) {
                last = operation;
            }
        }

        /** Returns the operations, without the acquisitions of unknown outcome on which no later call depends. */
        List<Operation> end() {
            if (open != null) {
                add(open, null);
            }
            long lastOrder = last == null ? Long.MIN_VALUE : last.order();
            return operations.stream()
                    .filter(it -> it.isCertain() || !it.isAcquire() || it.order() < lastOrder)
                    .toList();
        }
    }
}
