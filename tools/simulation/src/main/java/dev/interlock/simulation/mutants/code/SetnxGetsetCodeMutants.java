// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of setnx-getset. */
final class SetnxGetsetCodeMutants {
    static final List<CodeMutant> ALL = List.of();

    private SetnxGetsetCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-setnx-getset", "dev.interlock.setnxgetset." + className, text, other);
    }
}
