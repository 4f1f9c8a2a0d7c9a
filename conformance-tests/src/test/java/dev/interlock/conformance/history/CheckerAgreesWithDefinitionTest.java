// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.RandomCalls.Call;
import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Compares the verdicts of {@link Checker} with those of {@link AllOrders} on random histories, wrong ones too. */
class CheckerAgreesWithDefinitionTest {
    private static final List<Model> MODELS =
            List.of(new Model(false, false), new Model(true, false), new Model(false, true), new Model(true, true));
    private static final int MOST_SHOWN = 5;

    @Test
    void agreesOnThousandsOfHistories(TestReporter reporter) {
        compare(500, reporter);
    }

    @Test
    @Tag("deep")
    void agreesOnHundredThousandHistories(TestReporter reporter) {
        compare(25_000, reporter);
    }

    private static void compare(int historiesOfEachModel, TestReporter reporter) {
        List<String> disagreements = new ArrayList<>();
        int disputed = 0;
        for (Model model : MODELS) {
            int right = 0;
            for (long seed = 0; seed < historiesOfEachModel; seed++) {
                List<Call> calls = RandomCalls.of(model, seed);
                List<Event> events = RandomCalls.events(calls);
                boolean permitted = AllOrders.permit(model, events);
                right += permitted ? 1 : 0;
                if (isDisputed(model, events, permitted)) {
                    disputed++;
                    if (disagreements.size() < MOST_SHOWN) {
                        disagreements.add(explain(model, smallest(model, calls), seed));
                    }
                }
            }
            int wrong = historiesOfEachModel - right;
            reporter.publishEntry(model.toString(), right + " right, " + wrong + " wrong");
            assertThat(Math.min(right, wrong)).as("right and wrong ones").isGreaterThan(historiesOfEachModel / 3);
        }
        assertThat(disagreements).as("%d disagreements", disputed).isEmpty();
    }

    private static boolean isDisputed(Model model, List<Call> calls) {
        List<Event> events = RandomCalls.events(calls);
        return isDisputed(model, events, AllOrders.permit(model, events));
    }

    private static boolean isDisputed(Model model, List<Event> events, boolean permitted) {
        return new Checker(model).check(events).outcome() != (permitted ? Outcome.VALID : Outcome.VIOLATED);
    }

    private static String explain(Model model, List<Call> calls, long seed) {
        return "%s, seed %d, checker says %s%n%s%n"
                .formatted(model, seed, new Checker(model).check(RandomCalls.events(calls)), RandomCalls.text(calls));
    }

    /** Leaves out calls and what is known of them for as long as there is a disagreement. */
    private static List<Call> smallest(Model model, List<Call> calls) {
        List<Call> smaller = new ArrayList<>(calls);
        List<UnaryOperator<Call>> simpler = List.of(it -> it.valid(null), it -> it.isLoss() ? it.fenced(null) : it);
        for (boolean changed = true; changed; ) {
            changed = false;
            for (int i = smaller.size() - 1; i >= 0; i--) {
                Call call = smaller.remove(i);
                if (isDisputed(model, smaller)) {
                    changed = true;
                    continue;
                }
                smaller.add(i, call);
                for (UnaryOperator<Call> step : simpler) {
                    Call before = smaller.get(i);
                    smaller.set(i, step.apply(before));
                    if (isDisputed(model, smaller)) {
                        changed |= !smaller.get(i).equals(before);
                    } else {
                        smaller.set(i, before);
                    }
                }
            }
        }
        return smaller;
    }
}
