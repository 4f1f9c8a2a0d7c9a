// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.List;
import java.util.Locale;

/**
 * The result of a {@link Checker}.
 *
 * @param outcome whether the lock behaved
 * @param explanation what is wrong, or why there is no decision; empty if the history is valid
 * @param excerpt the events that the explanation is about, in order of time
 */
public record Verdict(Outcome outcome, String explanation, List<Event> excerpt) {
    private static final double NANOS_PER_MILLI = 1e6;

    /** Whether the lock behaved. */
    public enum Outcome {
        /** A correct lock can have behaved as the history says. */
        VALID,
        /** No correct lock behaves as the history says. */
        VIOLATED,
        /** The search needed more memory than it was allowed. */
        UNDECIDED
    }

    /** Creates a verdict. */
    public Verdict {
        excerpt = List.copyOf(excerpt);
    }

    static Verdict valid() {
        return new Verdict(Outcome.VALID, "", List.of());
    }

    /**
     * Tells whether a correct lock can have behaved as the history says.
     *
     * @return {@code true} if the outcome is {@link Outcome#VALID}
     */
    public boolean isValid() {
        return outcome == Outcome.VALID;
    }

    /** Shows the outcome, the explanation, and the excerpt with times that count from its first event. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(outcome.name());
        if (!explanation.isEmpty()) {
            text.append(": ").append(explanation);
        }
        for (Event event : excerpt) {
            text.append(System.lineSeparator()).append("    ").append(line(event));
        }
        return text.toString();
    }

    private String line(Event event) {
        double millis = (event.nanos() - excerpt.get(0).nanos()) / NANOS_PER_MILLI;
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%10.3f ms  #%d  %s  %s %s",
                millis,
                event.sequence(),
                event.process(),
                event.op(),
                event.type()));
        event.fence().ifPresent(fence -> line.append("  fence ").append(fence));
        event.validNanos()
                .ifPresent(nanos ->
                        line.append(String.format(Locale.ROOT, "  valid for %.3f ms", nanos / NANOS_PER_MILLI)));
        event.error().ifPresent(error -> line.append("  ").append(error));
        return line.toString();
    }
}
