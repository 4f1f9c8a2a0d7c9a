// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Event.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges a short history by the definition: tries all orders of its calls and losses, and gives each the earliest
 * moment that this order permits. Written from the documentation of {@link Checker}, {@link Model} and {@link Event};
 * shares no code with the checker, remembers nothing and is slow.
 *
 * <p>Where the documentation leaves a choice:
 *
 * <ul>
 *   <li>A loss concerns the acquisitions of its process whose outcome was recorded before it, that began no later than
 *       the moment it names, that have no other token, and that no loss was recorded for before.
 *   <li>A hold of unknown beginning ends by a release, or by a loss that was recorded.
 *   <li>A release undoes a hold that began, by its first acquisition, before the release in the order of the process.
 * </ul>
 */
final class AllOrders {
    private static final long NEVER = Long.MAX_VALUE;

    private final Model model;

    /** A token that is larger than any that matters. */
    private final long largestToken;

    private AllOrders(Model model, long largestToken) {
        this.model = model;
        this.largestToken = largestToken;
    }

    /** Returns whether a lock as described by the model permits a history. */
    static boolean permit(Model model, List<Event> events) {
        return events.stream()
                .map(Event::lock)
                .distinct()
                .allMatch(lock -> permit(
                        model,
                        calls(events.stream()
                                .filter(it -> it.lock().equals(lock))
                                .toList())));
    }

    private static boolean permit(Model model, Collection<Call> calls) {
        LongSummaryStatistics tokens = calls.stream()
                .filter(call -> call.token != null)
                .mapToLong(call -> call.token)
                .summaryStatistics();
        long smallest = tokens.getCount() == 0 ? 0 : tokens.getMin() - calls.size();
        long largest = tokens.getCount() == 0 ? calls.size() : tokens.getMax() + calls.size();
        State free = new State(null, 0, 0, NEVER, smallest - 1);
        return new AllOrders(model, largest).canComplete(List.copyOf(calls), free, Long.MIN_VALUE);
    }

    /** Returns whether all calls that are certain can happen from a state and a moment on. */
    private boolean canComplete(List<Call> calls, State state, long moment) {
        if (calls.stream().noneMatch(Call::isCertain)) {
            return true;
        }
        for (Call call : calls) {
            long at = Math.max(moment, call.begin);
            if (at > call.end || calls.stream().anyMatch(call::mustFollow)) {
                continue;
            }
            List<Call> others = calls.stream().filter(it -> it != call).toList();
            List<State> next = call.op == Op.ACQUIRE ? acquired(state, call) : released(state, call);
            if (next.stream().anyMatch(it -> canComplete(others, it, at))) {
                return true;
            }
        }
        return state.holder != null
                && state.validUntil != NEVER
                && canComplete(calls, state.free(), Math.max(moment, state.validUntil));
    }

    private List<State> acquired(State state, Call call) {
        if (state.holder == null) {
            if (!model.fenced()) {
                return List.of(state.begun(call, 0));
            }
            LongStream tokens = call.isCertain()
                    ? Stream.ofNullable(call.token).mapToLong(Long::longValue)
                    : LongStream.rangeClosed(state.largest + 1, largestToken);
            return tokens.filter(token -> token > state.largest)
                    .mapToObj(token -> state.begun(call, token))
                    .toList();
        }
        boolean permitted = model.reentrant()
                && state.holder.equals(call.process)
                && (!model.fenced()
                        || !call.isCertain()
                        || call.token != null && call.token.longValue() == state.largest);
        return permitted ? List.of(state.again()) : List.of();
    }

    private static List<State> released(State state, Call call) {
        boolean permitted = call.process.equals(state.holder) && state.first < call.position;
        return permitted ? List.of(state.released()) : List.of();
    }

    // The state of the lock.

    /**
     * @param holder the process that holds the lock, or {@code null}
     * @param first the position, in its process, of the acquisition with which the hold began
     * @param count how often the holder has acquired it
     * @param validUntil until when the hold lasts at least
     * @param largest the largest token so far; that of the hold if there is one
     */
    private record State(@Nullable String holder, int first, int count, long validUntil, long largest) {
        State begun(Call call, long token) {
            return new State(call.process, call.position, 1, call.validUntil, token);
        }

        State again() {
            return new State(holder, first, count + 1, validUntil, largest);
        }

        State released() {
            return count == 1 ? free() : new State(holder, first, count - 1, validUntil, largest);
        }

        State free() {
            return new State(null, 0, 0, NEVER, largest);
        }
    }

    // The calls.

    private static final class Call {
        final String process;
        final int position;
        final Op op;
        final long begin;
        long end = NEVER;
        long validUntil = NEVER;
        boolean lost;
        boolean over;

        @Nullable
        Long token;

        Call(Event invocation, int position) {
            this.process = invocation.process();
            this.position = position;
            this.op = invocation.op();
            this.begin = invocation.nanos();
        }

        boolean isCertain() {
            return end != NEVER;
        }

        boolean mustFollow(Call other) {
            return other.isCertain() && other.process.equals(process) && other.position < position;
        }

        void ok(Event completion) {
            end = completion.nanos();
            token = completion.fence().isPresent() ? completion.fence().getAsLong() : null;
            OptionalLong valid = completion.validNanos();
            validUntil = valid.isPresent() ? end + valid.getAsLong() : NEVER;
        }

        void lost(Event loss) {
            boolean otherToken =
                    token != null && loss.fence().isPresent() && loss.fence().getAsLong() != token;
            if (op == Op.ACQUIRE && over && !lost && !otherToken && begin <= loss.nanos()) {
                lost = true;
                validUntil = Math.min(validUntil, loss.nanos());
            }
        }
    }

    private static List<Call> calls(List<Event> events) {
        Map<String, List<Event>> processes = new LinkedHashMap<>();
        events.stream()
                .sorted(Comparator.comparingLong(Event::sequence))
                .forEach(event -> processes
                        .computeIfAbsent(event.process(), it -> new ArrayList<>())
                        .add(event));
        List<Call> all = new ArrayList<>();
        for (List<Event> process : processes.values()) {
            List<Call> calls = new ArrayList<>();
            int position = 0;
            for (Event event : process) {
                position++;
                if (event.op() == Op.LOST) {
                    calls.forEach(call -> call.lost(event));
                } else if (event.type() == Type.INVOKE) {
                    calls.add(new Call(event, position));
                } else {
                    Call call = calls.get(calls.size() - 1);
                    call.over = true;
                    if (event.type() == Type.FAIL) {
                        calls.remove(call);
                    } else if (event.type() == Type.OK) {
                        call.ok(event);
                    }
                }
            }
            all.addAll(calls);
        }
        return all;
    }
}
