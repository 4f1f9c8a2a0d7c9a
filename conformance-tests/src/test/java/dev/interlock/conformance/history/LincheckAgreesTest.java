// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.RandomCalls.Call;
import dev.interlock.conformance.history.Verdict.Outcome;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kotlin.Unit;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.HBClock;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.util.ValueResult;
import org.jetbrains.lincheck.datastructures.verifier.LinearizabilityVerifier;
import org.jetbrains.lincheck.jvm.agent.InstrumentationMode;
import org.jetbrains.lincheck.jvm.agent.LincheckInstrumentationKt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Compares the verdicts of {@link Checker} with those of a checker that others wrote, on random histories, wrong ones
 * too. That one knows neither calls of unknown outcome nor leases, so the histories have none of these.
 */
@Tag("deep")
class LincheckAgreesTest {
    private static final int HISTORIES_OF_EACH_MODEL = 500;

    /** A lock as a model describes it, for one thread after the other. Each call says whether it is permitted. */
    public abstract static class SequentialLock {
        private final boolean reentrant;
        private final boolean fenced;
        private String holder = "";
        private int holds;
        private long largest = -1;

        SequentialLock(Model model) {
            this.reentrant = model.reentrant();
            this.fenced = model.fenced();
        }

        public boolean acquire(String process, long token) {
            if (holds > 0) {
                boolean again = reentrant && holder.equals(process) && (!fenced || token == largest);
                holds += again ? 1 : 0;
                return again;
            }
            if (fenced && token <= largest) {
                return false;
            }
            holder = process;
            holds = 1;
            largest = fenced ? token : largest;
            return true;
        }

        public boolean release(String process) {
            boolean held = holds > 0 && holder.equals(process);
            holds -= held ? 1 : 0;
            return held;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof SequentialLock lock
                    && lock.holds == holds
                    && lock.largest == largest
                    && (holds == 0 || lock.holder.equals(holder));
        }

        @Override
        public int hashCode() {
            return Long.hashCode(31 * largest + holds);
        }
    }

    /** Neither re-entrant nor fenced. */
    public static final class Plain extends SequentialLock {
        public Plain() {
            super(new Model(false, false));
        }
    }

    /** Re-entrant. */
    public static final class Reentrant extends SequentialLock {
        public Reentrant() {
            super(new Model(true, false));
        }
    }

    /** Fenced. */
    public static final class Fenced extends SequentialLock {
        public Fenced() {
            super(new Model(false, true));
        }
    }

    /** Re-entrant and fenced. */
    public static final class FencedReentrant extends SequentialLock {
        public FencedReentrant() {
            super(new Model(true, true));
        }
    }

    private static final Map<Class<? extends SequentialLock>, Model> LOCKS = Map.of(
            Plain.class, new Model(false, false),
            Reentrant.class, new Model(true, false),
            Fenced.class, new Model(false, true),
            FencedReentrant.class, new Model(true, true));

    @Test
    void agreesWithACheckerThatOthersWrote(TestReporter reporter) {
        // The verifier looks for the agent, and runs the lock above as it is.
        LincheckInstrumentationKt.withLincheckJavaAgent(InstrumentationMode.STRESS, () -> {
            compare(reporter);
            return Unit.INSTANCE;
        });
    }

    private static void compare(TestReporter reporter) {
        List<String> disagreements = new ArrayList<>();
        LOCKS.forEach((lock, model) -> {
            int right = 0;
            for (long seed = 0; seed < HISTORIES_OF_EACH_MODEL; seed++) {
                List<Call> calls = known(RandomCalls.of(model, seed), model);
                boolean permitted = calls.isEmpty() || isLinearizable(lock, calls);
                right += permitted ? 1 : 0;
                Verdict verdict = new Checker(model).check(RandomCalls.events(calls));
                if (verdict.outcome() != (permitted ? Outcome.VALID : Outcome.VIOLATED)) {
                    disagreements.add(
                            model + ", seed " + seed + ", checker says " + verdict + "\n" + RandomCalls.text(calls));
                }
            }
            int wrong = HISTORIES_OF_EACH_MODEL - right;
            reporter.publishEntry(model.toString(), right + " right, " + wrong + " wrong");
            assertThat(Math.min(right, wrong))
                    .as("right and wrong ones of " + model)
                    .isGreaterThan(HISTORIES_OF_EACH_MODEL / 5);
        });
        assertThat(disagreements).isEmpty();
    }

    /** The calls that took effect, as if no lease had an end. A token that is missing cannot be right. */
    private static List<Call> known(List<Call> calls, Model model) {
        return calls.stream()
                .filter(call ->
                        !call.isLoss() && call.end() != null && call.outcome().isEmpty())
                .map(call -> call.valid(null))
                .map(call -> model.fenced() && call.isAcquire() && call.fence() == null ? call.fenced(0L) : call)
                .toList();
    }

    private static boolean isLinearizable(Class<? extends SequentialLock> lock, List<Call> calls) {
        Map<String, List<Call>> threads = new LinkedHashMap<>();
        calls.forEach(call -> threads.computeIfAbsent(call.process(), name -> new ArrayList<>())
                .add(call));
        List<List<Actor>> actors = new ArrayList<>();
        List<List<ResultWithClock>> results = new ArrayList<>();
        for (List<Call> thread : threads.values()) {
            actors.add(thread.stream().map(call -> actor(lock, call)).toList());
            results.add(thread.stream()
                    .map(call -> new ResultWithClock(new ValueResult(true), clock(threads, call)))
                    .toList());
        }
        return new LinearizabilityVerifier(lock)
                .verifyResults(
                        new ExecutionScenario(List.of(), actors, List.of(), null),
                        new ExecutionResult(List.of(), results, List.of()));
    }

    private static Actor actor(Class<? extends SequentialLock> lock, Call call) {
        try {
            Method method = call.isAcquire()
                    ? lock.getMethod("acquire", String.class, long.class)
                    : lock.getMethod("release", String.class);
            long token = call.fence() == null ? 0 : call.fence();
            return new Actor(method, call.isAcquire() ? List.of(call.process(), token) : List.of(call.process()));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    /** How many calls of each thread had ended when a call began; calls that meet in a moment overlap. */
    private static HBClock clock(Map<String, List<Call>> threads, Call call) {
        return new HBClock(threads.values().stream()
                .mapToInt(thread -> thread.contains(call)
                        ? thread.indexOf(call)
                        : (int) thread.stream()
                                .filter(other -> other.end() < call.begin())
                                .count())
                .toArray());
    }
}
