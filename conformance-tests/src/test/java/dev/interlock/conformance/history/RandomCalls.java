// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Short random histories. A lock as the model describes it is used by a few processes, one call after another; each
 * call gets a beginning and an end around the moment of its effect. Then some histories are spoilt.
 */
final class RandomCalls {
    /**
     * A line of a {@link Story}.
     *
     * @param end when the call ended, or the loss was recorded; {@code null} if the call did not end
     */
    record Call(
            String process,
            String op,
            long begin,
            @Nullable Long end,
            @Nullable Long fence,
            @Nullable Long valid,
            String outcome) {
        private static final String OK = "";

        boolean isLoss() {
            return op.equals("lost");
        }

        boolean isAcquire() {
            return op.equals("acquire");
        }

        Call from(long nanos) {
            return new Call(process, op, nanos, end, fence, valid, outcome);
        }

        Call to(@Nullable Long nanos) {
            return new Call(process, op, begin, nanos, fence, valid, outcome);
        }

        Call fenced(@Nullable Long token) {
            return new Call(process, op, begin, end, token, valid, outcome);
        }

        Call valid(@Nullable Long nanos) {
            return new Call(process, op, begin, end, fence, nanos, outcome);
        }

        Call ended(String how) {
            return new Call(process, op, begin, end, fence, valid, how);
        }

        @Override
        public String toString() {
            boolean ok = outcome.equals(OK) && (isLoss() || end != null);
            return process + " " + op + " " + begin + (isLoss() ? "" : "-" + (end == null ? "?" : end))
                    + (ok && fence != null ? " fence " + fence : "")
                    + (ok && valid != null ? " valid " + valid : "")
                    + (isLoss() ? " told " + end : "")
                    + (end == null || outcome.equals(OK) ? "" : " " + outcome);
        }
    }

    private static final int MOST_CALLS = 8;
    private static final List<String> PROCESSES = List.of("p", "q", "r");

    private final Model model;
    private final Random random;
    private final boolean fences;
    private final int unknowns;
    private final List<Call> calls = new ArrayList<>();
    private final Map<String, Long> busyUntil = new HashMap<>();
    private long now = 5;
    private long token;
    private int intruders;

    private @Nullable String holder;
    private int holds;
    private long validUntil;
    private boolean told;

    private RandomCalls(Model model, Random random) {
        this.model = model;
        this.random = random;
        this.fences = model.fenced() || random.nextBoolean();
        this.unknowns = random.nextBoolean() ? 4 : 30;
    }

    /** Returns a history as the calls of each process in their order; about half are right. */
    static List<Call> of(Model model, long seed) {
        Random random = new Random(seed);
        RandomCalls history = new RandomCalls(model, random);
        int count = 2 + random.nextInt(MOST_CALLS - 1);
        for (int step = 0; step < 4 * MOST_CALLS && history.calls.size() < count; step++) {
            history.step();
        }
        int spoils = history.calls.isEmpty() || random.nextInt(10) < 3 ? 0 : 2 + random.nextInt(4);
        for (int spoil = 0; spoil < spoils; spoil++) {
            history.spoil();
        }
        return history.calls;
    }

    static List<Event> events(List<Call> calls) {
        return Story.of(calls.stream().map(Call::toString).toArray(String[]::new));
    }

    static String text(List<Call> calls) {
        return calls.stream().map(call -> "    \"" + call + "\"").collect(Collectors.joining(",\n"));
    }

    private void step() {
        now += random.nextInt(4);
        if (holder != null && told && now >= validUntil && random.nextInt(3) > 0) {
            holder = null;
        }
        String process =
                holder != null && random.nextInt(3) > 0 ? holder : PROCESSES.get(random.nextInt(PROCESSES.size()));
        long before = busyUntil.getOrDefault(process, 0L);
        if (before == Long.MAX_VALUE) {
            return;
        }
        now = Math.max(now, before);
        boolean mine = process.equals(holder);
        if (mine && told && random.nextInt(6) == 0) {
            validUntil = Math.min(validUntil, now);
            Long fence = fences && random.nextBoolean() ? Long.valueOf(token) : null;
            add(new Call(process, "lost", now, now + random.nextInt(3), fence, null, ""));
            return;
        }
        boolean release = mine ? random.nextInt(4) > 0 : random.nextInt(12) == 0;
        call(process, release ? "release" : "acquire", Math.max(before, now - random.nextInt(6)));
    }

    /** Makes a call that takes effect now. */
    private void call(String process, String op, long begin) {
        boolean mine = process.equals(holder);
        boolean known = random.nextInt(unknowns) > 0;
        boolean effect = op.equals("release") ? mine : holder == null || mine && model.reentrant();
        effect &= known || random.nextBoolean();
        Call call = new Call(process, op, begin, now + random.nextInt(6), null, null, known ? "" : "unknown");
        if (!known) {
            // The effect may come after the end.
            call = random.nextInt(3) == 0 ? call.to(null) : call.to(begin + random.nextInt(6));
        } else if (!effect) {
            call = call.ended("fail");
        }
        if (effect) {
            call = op.equals("release") ? released(call) : acquired(call, known);
        }
        add(call);
    }

    private Call acquired(Call call, boolean known) {
        if (holder == null) {
            holder = call.process();
            holds = 0;
            token += 1 + random.nextInt(2);
            told = false;
            validUntil = Long.MIN_VALUE;
        }
        holds++;
        if (!known) {
            return call;
        }
        Long valid = random.nextInt(3) == 0 ? Long.valueOf(random.nextInt(8)) : null;
        long until = valid == null || call.end() == null ? Long.MAX_VALUE : call.end() + valid;
        if (holds == 1) {
            told = true;
            validUntil = until;
        }
        return call.valid(valid).fenced(fences ? Long.valueOf(token) : null);
    }

    private Call released(Call call) {
        holds--;
        holder = holds == 0 ? null : holder;
        return call;
    }

    private void add(Call call) {
        calls.add(call);
        busyUntil.put(call.process(), call.end() == null ? Long.MAX_VALUE : call.end());
    }

    // Spoiling.

    private void spoil() {
        int at = random.nextInt(calls.size());
        Call call = calls.get(at);
        Long end = call.end();
        switch (random.nextInt(9)) {
            case 0 -> replace(at, call.from(Math.max(0, call.begin() + random.nextInt(13) - 6)));
            case 1, 2 -> replace(at, end == null ? call : call.to(Math.max(0, end + random.nextInt(13) - 6)));
            case 3 ->
                replace(
                        at,
                        call.fence() == null ? call : call.fenced(Math.max(0, call.fence() + random.nextInt(5) - 2)));
            case 4 -> {
                if (!call.isLoss()) {
                    Long fence = call.isAcquire() && fences ? Long.valueOf(random.nextInt((int) token + 3)) : null;
                    replace(
                            at,
                            call.outcome().isEmpty()
                                    ? call.ended("fail")
                                    : call.ended("").fenced(fence));
                }
            }
            case 5 -> {
                if (call.isAcquire()) {
                    replace(at, call.valid(random.nextBoolean() ? null : Long.valueOf(random.nextInt(8))));
                }
            }
            case 6, 7 -> intrude();
            default -> {
                if (calls.size() > 1) {
                    calls.remove(at);
                }
            }
        }
    }

    /** Adds a call of a process that makes no other. */
    private void intrude() {
        long begin = random.nextInt((int) now + 1);
        Long fence = fences ? Long.valueOf(random.nextInt((int) token + 2)) : null;
        String process = "intruder" + intruders++;
        boolean release = random.nextInt(6) == 0;
        calls.add(
                new Call(process, release ? "release" : "acquire", begin, begin + random.nextInt(6), fence, null, ""));
    }

    /** Replaces a call, if the calls of its process remain one after another. */
    private void replace(int at, Call call) {
        Call before = calls.set(at, call);
        long last = 0;
        for (Call each : calls) {
            if (each.process().equals(call.process())) {
                Long end = each.end();
                if (each.begin() < (each.isLoss() ? 0 : last) || end != null && end < Math.max(last, each.begin())) {
                    calls.set(at, before);
                    return;
                }
                last = end == null ? Long.MAX_VALUE : end;
            }
        }
    }
}
