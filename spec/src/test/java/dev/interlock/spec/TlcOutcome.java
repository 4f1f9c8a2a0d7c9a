// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The outcome of a run of TLC.
 *
 * @param output what TLC printed
 * @param file where that is kept
 */
record TlcOutcome(String output, Path file) {
    /** The {@link #verdict()} if TLC found nothing wrong. */
    static final String HOLDS = "holds";

    /** The {@link #verdict()} if some client waits and nothing can happen any more. */
    static final String DEADLOCK = "deadlock";

    /** The {@link #verdict()} if some behaviour goes on forever without an end of all waits. */
    static final String LIVENESS = "liveness";

    private static final Pattern INVARIANT = Pattern.compile("Error: Invariant (\\w+) is violated");
    private static final Pattern STATES = Pattern.compile("(\\d+) states generated, (\\d+) distinct states found");
    private static final Pattern ACTION = Pattern.compile("(?m)^<(\\w+) line [^>]*>: (\\d+):(\\d+)$");

    /** Returns {@link #HOLDS}, the name of the invariant that was violated, or which other property was. */
    String verdict() {
        Matcher invariant = INVARIANT.matcher(output);
        if (invariant.find()) {
            return invariant.group(1);
        }
        if (output.contains("Error: Deadlock reached.")) {
            return DEADLOCK;
        }
        if (output.contains("Error: Temporal properties were violated.")) {
            return LIVENESS;
        }
        if (output.contains("Model checking completed. No error has been found.")) {
            return HOLDS;
        }
        throw new AssertionError("TLC could not check the model; see " + file + ":\n" + output);
    }

    /** Returns how many distinct states TLC has found. */
    int states() {
        Matcher states = STATES.matcher(output);
        int found = 0;
        while (states.find()) {
            found = Integer.parseInt(states.group(2));
        }
        return found;
    }

    /** Returns how often each action was taken; empty unless TLC was asked for its coverage. */
    Map<String, Integer> actions() {
        Map<String, Integer> actions = new TreeMap<>();
        Matcher action = ACTION.matcher(output);
        while (action.find()) {
            actions.put(action.group(1), Integer.parseInt(action.group(3)));
        }
        return actions;
    }
}
