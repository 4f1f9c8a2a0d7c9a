// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of set-nx-px, and in those of {@code redis} that it uses in a simulation. */
final class SetNxPxCodeMutants {
    static final List<CodeMutant> ALL = List.of(
            of("all-claims-share-a-word", "LockWord", "return MAGIC + claim.token();", "return MAGIC + claim.name();"));

    private SetNxPxCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-set-nx-px", "dev.interlock.setnxpx." + className, text, other);
    }

    private static CodeMutant ofRedis(String name, String className, String text, String other) {
        return new CodeMutant(name, "redis", "dev.interlock.redis." + className, text, other);
    }
}
