// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Judges whether a correct lock can have behaved as a history says: whether each call can have taken effect at one
 * moment between its beginning and its end, so that a {@link Model} permits the effects in the order of these moments.
 *
 * <p>A call of {@linkplain Event.Type#UNKNOWN unknown} outcome, or without any, may have its effect at any time after
 * it began, or never; a release only on what was acquired before it. Calls that failed are left out. Each lock is
 * judged by itself. Where fencing tokens give the order, judging takes O(<i>n</i> log <i>n</i>); otherwise the checker
 * searches for an order, which is quick unless many outcomes are unknown. A process that goes on after an acquisition
 * of unknown outcome should do so under a new name; otherwise its later calls may be explained by that acquisition.
 *
 * <p>Checkers are immutable and safe to use from any thread.
 */
public final class Checker {
    private static final long DEFAULT_MEMORY = 128L << 20;

    private final Model model;
    private final long memory;

    /**
     * Creates a checker that may use 128 MiB.
     *
     * @param model how a correct lock behaves
     */
    public Checker(Model model) {
        this(model, DEFAULT_MEMORY);
    }

    /**
     * Creates a checker.
     *
     * @param model how a correct lock behaves
     * @param memory about how many bytes a search may use before it gives up
     */
    public Checker(Model model, long memory) {
        this.model = Objects.requireNonNull(model, "model");
        this.memory = memory;
    }

    /**
     * Judges a history.
     *
     * @param events the events of the history, in any order; they may come from several processes of one machine, if
     *     the names of threads and handles differ
     * @return the verdict about the first lock that is not valid, one that is violated before one that is undecided
     * @throws IllegalArgumentException if the events are no valid record, for example if a call ends that has not begun
     */
    public Verdict check(Collection<Event> events) {
        if (events.isEmpty()) {
            return Verdict.valid();
        }
        long base = events.iterator().next().nanos();
        Map<String, List<Event>> locks = new LinkedHashMap<>();
        events.forEach(event ->
                locks.computeIfAbsent(event.lock(), it -> new ArrayList<>()).add(event));
        Verdict worst = Verdict.valid();
        for (List<Event> lock : locks.values()) {
            Verdict verdict = judge(Operation.of(lock, base));
            if (verdict.outcome() == Outcome.VIOLATED) {
                return verdict;
            }
            worst = worst.isValid() ? verdict : worst;
        }
        return worst;
    }

    private Verdict judge(List<Operation> operations) {
        if (!model.fenced()) {
            return Search.judge(model, operations, memory);
        }
        for (Operation operation : operations) {
            if (operation.isAcquire() && operation.isCertain() && operation.fence() == null) {
                return Finding.withoutFence(operation);
            }
        }
        Verdict verdict = FenceOrder.judge(model.reentrant(), operations);
        return verdict == null ? Search.judge(model, operations, memory) : verdict;
    }
}
