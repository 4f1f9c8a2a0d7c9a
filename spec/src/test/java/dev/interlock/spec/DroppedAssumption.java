// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.List;
import java.util.Map;

/**
 * A model in which an assumption of a strategy's profile does not hold, so that TLC must find a counter-example.
 *
 * @param strategy the strategy
 * @param assumption the name of the constant of {@code Assumption}
 * @param module the specification
 * @param model the model, in which the assumption holds
 * @param constants the constants that have other values where it does not
 * @param refutedBy the promise that is broken then
 */
record DroppedAssumption(
        String strategy,
        String assumption,
        String module,
        String model,
        Map<String, String> constants,
        String refutedBy) {
    private static final String ONE_HOLDER = "OneHolder";
    private static final String SERVED = "Served";

    /** All assumptions of the strategies that are specified. */
    static List<DroppedAssumption> all() {
        return List.of(
                redlock("SERVER_CLOCK_STEADY", "LeadQueue", "hand-over", fault("jump")),
                redlock(
                        "BOUNDED_CLOCK_RATES",
                        "LeadQueue",
                        "drift",
                        Map.of("Allowance", "0", "Turns", "1", "Attempts", "3")),
                redlock("NO_FAILOVER", "LeadQueue", "hand-over", fault("failover")),
                redlock("NO_EVICTION", "LeadQueue", "hand-over", fault("evict")),
                redlock("NO_ROLLBACK", "LeadQueue", "hand-over", fault("rollback")),
                new DroppedAssumption(
                        "redlock", "MAJORITY_UP", "JointQuorum", "joint-ending", Map.of("Gone", "{n2, n3}"), SERVED),
                redlock("SAME_SERVERS", "JointQuorum", "joint-same", Map.of("Apart", "{c2}")),
                redlock(
                        "RESTART_KEEPS_DATA",
                        "LeadQueue",
                        "hand-over",
                        Map.of("Kinds", "{\"restart\"}", "Levels", "6", "BirthGuard", "FALSE")),
                handOver("SERVER_CLOCK_STEADY", "faults", Map.of("Kinds", "{\"jump\"}")),
                handOver("BOUNDED_CLOCK_RATES", "drift", Map.of("Drift", "2")),
                handOver("BOUNDED_CLOCK_RATES", "drift", Map.of("Allowance", "0")),
                handOver("NO_EVICTION", "faults", Map.of("Kinds", "{\"evict\"}")),
                handOver("RESTART_KEEPS_DATA", "faults", Map.of("Kinds", "{\"forget\"}")),
                handOver("NO_FAILOVER", "faults", Map.of("Kinds", "{\"failover\"}")),
                handOver("NO_FAILOVER", "copies", Map.of("Replicas", "{r1, r2}")),
                readWrite("SERVER_CLOCK_STEADY", Map.of("Kinds", "{\"jump\"}")),
                readWrite("BOUNDED_CLOCK_RATES", Map.of("Allowance", "0")),
                readWrite("RESTART_KEEPS_DATA", Map.of("Kinds", "{\"forget\"}")));
    }

    private static DroppedAssumption redlock(
            String assumption, String module, String model, Map<String, String> constants) {
        return new DroppedAssumption("redlock", assumption, module, model, constants, ONE_HOLDER);
    }

    private static DroppedAssumption handOver(String assumption, String model, Map<String, String> constants) {
        return new DroppedAssumption("set-nx-px", assumption, "HandOver", model, constants, ONE_HOLDER);
    }

    private static DroppedAssumption readWrite(String assumption, Map<String, String> constants) {
        return new DroppedAssumption("set-nx-px", assumption, "ReadWrite", "rw-drift", constants, "Exclusion");
    }

    /** One fault of a kind, and the few steps in which a waiter gets the lock beside its holder. */
    private static Map<String, String> fault(String kind) {
        return Map.of("Kinds", "{\"" + kind + "\"}", "Levels", "6");
    }

    /** Returns whether the promise is that something happens in the end, and not that something never does. */
    boolean isLiveness() {
        return refutedBy.equals(SERVED);
    }

    @Override
    public String toString() {
        return strategy + " without " + assumption + " in " + model;
    }
}
