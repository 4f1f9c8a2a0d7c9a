// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Searches for an order of the calls on one lock that the model permits and that agrees with their times. The algorithm
 * is that of Wing and Gong, with Lowe's memory of visited states.
 */
final class Search {
    private static final int HEAD = 0;
    private static final long BYTES_PER_STEP = 100;

    private final Model model;
    private final List<Operation> operations;
    private final long memory;

    /**
     * The beginnings (1..n) and ends (n+1..2n) of calls in order of time, as a linked list. Calls that have a place in
     * the order are removed from it.
     */
    private final int[] next;

    private final int[] previous;
    private final int tail;

    private final Map<Operation, Integer> indexes = new HashMap<>();
    private final Placed placed;

    private final Set<Step> seen = new HashSet<>();
    private final Deque<Move> moves = new ArrayDeque<>();
    private State state = State.FREE;
    private long used;
    private long furthest = Long.MIN_VALUE;
    private @Nullable Supplier<Verdict> finding;

    private Search(Model model, List<Operation> operations, long memory) {
        this.model = model;
        this.memory = memory;
        // Sorted by their ends, calls without an end last, so that the calls that end are placed nearly in this order.
        this.operations = new ArrayList<>(operations);
        this.operations.sort(Comparator.<Operation>comparingLong(it -> it.end).thenComparingLong(it -> it.begin));
        for (int i = 0; i < this.operations.size(); i++) {
            indexes.put(this.operations.get(i), i);
        }
        int ending = (int) operations.stream().filter(Operation::isCertain).count();
        this.placed = new Placed(ending, operations.size());
        this.tail = 2 * this.operations.size() + 1;
        this.next = new int[tail + 1];
        this.previous = new int[tail + 1];
        link();
    }

    static Verdict judge(Model model, List<Operation> operations, long memory) {
        return operations.isEmpty() ? Verdict.valid() : new Search(model, operations, memory).run();
    }

    private void link() {
        int size = operations.size();
        List<Integer> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            nodes.add(1 + i);
            if (operations.get(i).isCertain()) {
                nodes.add(1 + size + i);
            }
        }
        // Events of the same moment may have happened in any order, so beginnings come before ends.
        nodes.sort(Comparator.<Integer>comparingLong(this::time).thenComparing(this::isEnd));
        int last = HEAD;
        for (int node : nodes) {
            next[last] = node;
            previous[node] = last;
            last = node;
        }
        next[last] = tail;
        previous[tail] = last;
    }

    private boolean isEnd(int node) {
        return node > operations.size();
    }

    private int index(int node) {
        return (node - 1) % operations.size();
    }

    private long time(int node) {
        Operation operation = operations.get(index(node));
        return isEnd(node) ? operation.end : operation.begin;
    }

    private Verdict run() {
        int node = next[HEAD];
        while (node != tail) {
            if (used > memory) {
                return Finding.undecided(operations.get(0).lock(), seen.size());
            }
            if (!isEnd(node)) {
                node = place(node) ? next[HEAD] : next[node];
            } else if (lose(node)) {
                node = next[HEAD];
            } else {
                note(node);
                node = back();
                if (node == HEAD) {
                    return Objects.requireNonNull(finding).get();
                }
            }
        }
        return Verdict.valid();
    }

    /** Places a call next in the order, if the model permits it and the resulting state was not visited before. */
    private boolean place(int node) {
        int index = index(node);
        Operation operation = operations.get(index);
        Operation before = operation.previous();
        State after = before == null || placed.has(indexOf(before)) ? after(operation) : null;
        if (after == null) {
            return false;
        }
        placed.flip(index);
        if (!isNew(after)) {
            placed.flip(index);
            return false;
        }
        moves.push(new Move(node, state));
        state = after;
        unlink(node);
        if (operation.isCertain()) {
            unlink(node + operations.size());
        }
        return true;
    }

    /**
     * Ends the present hold by a loss, if the loss may have happened before the given end of a call.
     */
    private boolean lose(int node) {
        if (state.isFree() || operations.get(state.first()).lostFrom > time(node)) {
            return false;
        }
        State after = state.freed();
        if (!isNew(after)) {
            return false;
        }
        moves.push(new Move(HEAD, state));
        state = after;
        return true;
    }

    /** Undoes moves until there is an alternative to try, and returns its node, or {@link #HEAD} if there is none. */
    private int back() {
        while (!moves.isEmpty()) {
            Move move = moves.pop();
            state = move.before();
            if (move.node() != HEAD) {
                int index = index(move.node());
                placed.flip(index);
                if (operations.get(index).isCertain()) {
                    relink(move.node() + operations.size());
                }
                relink(move.node());
                return next[move.node()];
            }
        }
        return HEAD;
    }

    private void unlink(int node) {
        next[previous[node]] = next[node];
        previous[next[node]] = previous[node];
    }

    private void relink(int node) {
        next[previous[node]] = node;
        previous[next[node]] = node;
    }

    private boolean isNew(State after) {
        Step step = new Step(after, placed.snapshot());
        if (!seen.add(step)) {
            return false;
        }
        used += BYTES_PER_STEP + step.placed().bytes();
        return true;
    }

    // The model.

    private @Nullable State after(Operation operation) {
        return operation.isAcquire() ? acquired(operation) : released(operation);
    }

    private int indexOf(Operation operation) {
        return Objects.requireNonNull(indexes.get(operation), "every operation has an index");
    }

    private @Nullable State acquired(Operation acquisition) {
        Long fence = model.fenced() ? acquisition.fence() : null;
        if (state.isFree()) {
            // A hold whose token is not known has one as well: at least the next.
            long token = fence != null ? fence : model.fenced() ? state.highest() + 1 : state.highest();
            return fence == null || fence > state.highest() ? state.begun(indexOf(acquisition), fence, token) : null;
        }
        if (!model.reentrant() || !acquisition.isOf(operations.get(state.first()))) {
            return null;
        }
        boolean same =
                fence == null || (state.fence() == null ? fence >= state.highest() : fence.equals(state.fence()));
        return same ? state.again(fence) : null;
    }

    private @Nullable State released(Operation release) {
        return mayRelease(release) ? state.released() : null;
    }

    private boolean mayRelease(Operation release) {
        if (state.isFree()) {
            return false;
        }
        Operation first = operations.get(state.first());
        return release.isOf(first) && first.order() < release.order();
    }

    /** Remembers why no order got past the end of this call, if no earlier attempt got this far. */
    private void note(int node) {
        if (time(node) > furthest) {
            furthest = time(node);
            finding = finding(operations.get(index(node)));
        }
    }

    /** Put into words only when the search has ended: it would look at all calls at each dead end. */
    private Supplier<Verdict> finding(Operation stuck) {
        Operation holder = state.isFree() ? null : operations.get(state.first());
        if (!stuck.isAcquire()) {
            return () -> Finding.notHeld(stuck, holder);
        }
        if (holder == null) {
            Placed then = placed.copy();
            long highest = state.highest();
            return () -> tokenOf(stuck, then, highest);
        }
        if (!holder.isOf(stuck)) {
            return () -> Finding.overlap(holder, following(holder), stuck);
        }
        return () -> Finding.reentry(holder, stuck);
    }

    /** The call of the same process after the given one, if there is one. */
    private List<Operation> following(Operation operation) {
        return operations.stream()
                .filter(it -> it.isOf(operation) && it.order() > operation.order())
                .sorted(Comparator.comparingLong(Operation::order))
                .limit(1)
                .toList();
    }

    private Verdict tokenOf(Operation stuck, Placed then, long highest) {
        List<Operation> before = operations.stream()
                .filter(it -> it.isAcquire() && then.has(indexOf(it)))
                .toList();
        for (Operation last : before) {
            if (last.fence() != null && last.fence() == highest) {
                return last.fence() == fenceOf(stuck) ? Finding.repeated(last, stuck) : Finding.decreased(last, stuck);
            }
        }
        return Finding.withoutRoom(before.stream().filter(it -> !it.isCertain()).toList(), stuck);
    }

    private static long fenceOf(Operation acquisition) {
        Long fence = acquisition.fence();
        return fence == null ? Long.MIN_VALUE : fence;
    }

    /**
     * The state of the lock.
     *
     * @param first the index of the acquisition with which the present hold began, negative if the lock is free
     * @param holds how often its holder has acquired it
     * @param fence the present hold's token, {@code null} if it is not known
     * @param highest the largest token so far, or the least that it can be
     */
    private record State(int first, int holds, @Nullable Long fence, long highest) {
        static final State FREE = new State(-1, 0, null, Long.MIN_VALUE);

        boolean isFree() {
            return first < 0;
        }

        State begun(int acquisition, @Nullable Long token, long largest) {
            return new State(acquisition, 1, token, largest);
        }

        State again(@Nullable Long token) {
            Long known = fence == null ? token : fence;
            long largest = known == null ? highest : Math.max(highest, known);
            return new State(first, holds + 1, known, largest);
        }

        State released() {
            return holds == 1 ? freed() : new State(first, holds - 1, fence, highest);
        }

        State freed() {
            return new State(-1, 0, null, highest);
        }
    }

    /** A call that was placed, or, if the node is {@link #HEAD}, a loss. */
    private record Move(int node, State before) {}

    /** A state that the search has visited: which calls were placed, and the state of the lock. */
    private record Step(State state, Placed.Snapshot placed) {}
}
