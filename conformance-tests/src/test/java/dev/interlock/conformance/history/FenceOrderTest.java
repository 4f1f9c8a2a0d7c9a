// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the verdicts of {@link FenceOrder} with those of {@link Search} on random histories. */
class FenceOrderTest {
    private static final int FEW = 8_000;
    private static final int MANY = 60_000;
    private static final long MEMORY = 1L << 24;

    @Test
    void bothWaysToJudgeAgreeOnRandomHistories() {
        assertBothWaysAgree(FEW);
    }

    @Test
    @Tag("deep")
    void bothWaysToJudgeAgreeOnManyRandomHistories() {
        assertBothWaysAgree(MANY);
    }

    private static void assertBothWaysAgree(int histories) {
        Map<Outcome, Integer> decided = new EnumMap<>(Outcome.class);
        for (int seed = 0; seed < histories; seed++) {
            Random random = new Random(seed);
            boolean reentrant = random.nextBoolean();
            List<Event> events = new Play(random, reentrant).perform();
            for (int mutations = random.nextInt(6); mutations > 0; mutations--) {
                mutate(events, random);
            }
            List<Operation> operations = Operation.of(events, 0);
            Verdict ordered = FenceOrder.judge(reentrant, operations);
            if (ordered != null) {
                Verdict searched = Search.judge(new Model(reentrant, true), operations, MEMORY);
                assertThat(ordered.outcome())
                        .as("seed %d, reentrant %s, %s%n%s", seed, reentrant, ordered, searched)
                        .isEqualTo(searched.outcome());
                decided.merge(ordered.outcome(), 1, Integer::sum);
            }
        }
        assertThat(decided).containsOnlyKeys(Outcome.VALID, Outcome.VIOLATED);
        assertThat(decided.values()).allMatch(count -> count > histories / 10);
    }

    @Test
    void whatACorrectLockDoesIsValid() {
        assertValid(FEW);
    }

    @Test
    @Tag("deep")
    void whatACorrectLockDoesIsValidInManyHistories() {
        assertValid(MANY);
    }

    private static void assertValid(int histories) {
        for (int seed = 0; seed < histories; seed++) {
            Random random = new Random(seed);
            boolean reentrant = random.nextBoolean();
            List<Event> events = new Play(random, reentrant).perform();
            Verdict verdict = new Checker(new Model(reentrant, random.nextBoolean())).check(events);
            assertThat(verdict.isValid())
                    .as("seed %d: %s%n%s", seed, verdict, events)
                    .isTrue();
        }
    }

    private static void mutate(List<Event> events, Random random) {
        if (events.isEmpty()) {
            return;
        }
        int at = random.nextInt(events.size());
        Event event = events.get(at);
        switch (random.nextInt(4)) {
            case 0 -> events.set(at, at(event, inOrder(events, at, event.nanos() + random.nextInt(41) - 20)));
            case 1 -> events.set(at, fenced(event, random.nextInt(12)));
            case 2 -> {
                if (event.type() == Event.Type.OK && event.op() != Op.LOST) {
                    events.set(at, typed(event, Event.Type.FAIL));
                }
            }
            default -> {
                if (event.type() == Event.Type.FAIL) {
                    events.set(at, fenced(typed(event, Event.Type.OK), random.nextInt(12)));
                }
            }
        }
    }

    /** The time closest to a given one that the calls of the same process before and after permit. */
    private static long inOrder(List<Event> events, int at, long nanos) {
        long moment = nanos;
        for (int i = 0; i < events.size(); i++) {
            Event other = events.get(i);
            if (other.process().equals(events.get(at).process()) && other.op() != Op.LOST) {
                moment = i < at ? Math.max(moment, other.nanos()) : i > at ? Math.min(moment, other.nanos()) : moment;
            }
        }
        return moment;
    }

    private static Event at(Event event, long nanos) {
        return new Event(
                event.sequence(),
                nanos,
                event.process(),
                event.type(),
                event.op(),
                event.lock(),
                event.fence(),
                event.validNanos(),
                event.error());
    }

    private static Event fenced(Event event, long fence) {
        boolean granted = event.type() == Event.Type.OK && event.op() == Op.ACQUIRE;
        return new Event(
                event.sequence(),
                event.nanos(),
                event.process(),
                event.type(),
                event.op(),
                event.lock(),
                granted ? OptionalLong.of(fence) : event.fence(),
                event.validNanos(),
                event.error());
    }

    private static Event typed(Event event, Event.Type type) {
        return new Event(
                event.sequence(),
                event.nanos(),
                event.process(),
                type,
                event.op(),
                event.lock(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty());
    }

    /** Simulates a correct lock and some processes that use it, step by step. */
    private static final class Play {
        private static final int PROCESSES = 3;
        private static final int STEPS = 60;

        private final Random random;
        private final boolean reentrant;
        private final int callsForOneUnknown;
        private final List<Event> events = new ArrayList<>();
        private final Map<String, Call> calls = new HashMap<>();
        private final List<Call> afterlife = new ArrayList<>();
        private String holder = "";
        private int holds;
        private long fence;
        private long validUntil;
        private long now;

        Play(Random random, boolean reentrant) {
            this.random = random;
            this.reentrant = reentrant;
            this.callsForOneUnknown = random.nextBoolean() ? 8 : 200;
        }

        List<Event> perform() {
            for (int step = 0; step < STEPS; step++) {
                now += random.nextInt(3);
                if (!holder.isEmpty() && now > validUntil && random.nextInt(3) == 0) {
                    holder = "";
                } else if (!afterlife.isEmpty() && random.nextInt(8) == 0) {
                    takeEffect(afterlife.remove(random.nextInt(afterlife.size())));
                } else {
                    act("p" + random.nextInt(PROCESSES));
                }
            }
            return events;
        }

        private void act(String process) {
            Call call = calls.get(process);
            if (call == null) {
                boolean acquire = !process.equals(holder) || random.nextInt(4) == 0;
                Call begun = new Call(process, acquire ? Op.ACQUIRE : Op.RELEASE, fence);
                calls.put(process, begun);
                add(process, Event.Type.INVOKE, begun.op, OptionalLong.empty(), OptionalLong.empty());
            } else if (call.isOver) {
                end(process, call);
            } else {
                takeEffect(call);
            }
        }

        private void takeEffect(Call call) {
            call.isOver = true;
            boolean mine = call.process.equals(holder);
            if (call.op == Op.RELEASE) {
                if (mine && fence == call.fence) {
                    holds--;
                    holder = holds == 0 ? "" : holder;
                    call.done = true;
                }
            } else if (holder.isEmpty()) {
                holder = call.process;
                holds = 1;
                fence += 1 + random.nextInt(2);
                call.fence = fence;
                call.lease = random.nextInt(3) == 0 ? 10 : 0;
                validUntil = call.lease == 0 ? Long.MAX_VALUE : Long.MAX_VALUE - 1;
                call.done = true;
            } else if (mine && reentrant) {
                holds++;
                call.fence = fence;
                call.done = true;
            }
        }

        private void end(String process, Call call) {
            calls.remove(process);
            if (random.nextInt(callsForOneUnknown) == 0) {
                add(process, Event.Type.UNKNOWN, call.op, OptionalLong.empty(), OptionalLong.empty());
                if (!call.done) {
                    call.isOver = false;
                    afterlife.add(call);
                }
            } else if (!call.done) {
                add(process, Event.Type.FAIL, call.op, OptionalLong.empty(), OptionalLong.empty());
            } else if (call.op == Op.RELEASE) {
                add(process, Event.Type.OK, call.op, OptionalLong.empty(), OptionalLong.empty());
            } else {
                OptionalLong valid = call.lease == 0 ? OptionalLong.empty() : OptionalLong.of(call.lease);
                if (call.lease != 0 && process.equals(holder) && fence == call.fence) {
                    validUntil = now + call.lease;
                }
                add(process, Event.Type.OK, call.op, OptionalLong.of(call.fence), valid);
                if (process.equals(holder) && call.lease == 0 && random.nextInt(6) == 0) {
                    now++;
                    add(process, Event.Type.OK, Op.LOST, OptionalLong.empty(), OptionalLong.empty());
                    holder = "";
                }
            }
        }

        private void add(String process, Event.Type type, Op op, OptionalLong fences, OptionalLong valid) {
            events.add(new Event(events.size(), now, process, type, op, "a", fences, valid, Optional.empty()));
        }
    }

    private static final class Call {
        final String process;
        final Op op;
        long fence;
        long lease;
        boolean isOver;
        boolean done;

        Call(String process, Op op, long fence) {
            this.process = process;
            this.op = op;
            this.fence = fence;
        }
    }
}
