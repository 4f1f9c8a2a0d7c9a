// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of redlock. */
final class RedlockCodeMutants {
    static final List<CodeMutant> ALL = List.of(
            of("majority-is-half", "joint.Majorities", "return nodes / 2 + 1;", "return nodes / 2;"),
            of("majority-is-all", "joint.Majorities", "return nodes / 2 + 1;", "return nodes;"),
            of(
                    "passed-lease-is-released-too",
                    "LeadQueue",
                    "if (calls.pass(claim, turn, root) != LeadCalls.Passing.REFUSED) {",
                    "if (calls.pass(claim, turn, root) == null) {"));

    private RedlockCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-redlock", "dev.interlock.redlock." + className, text, other);
    }
}
