// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of setnx-getset. */
final class SetnxGetsetCodeMutants {
    static final List<CodeMutant> ALL = List.of(
            of(
                    "timestamp-is-not-a-second-later",
                    "TimestampFormat",
                    "long end = nowMillis + lease.toMillis() + unit;",
                    "long end = nowMillis + lease.toMillis();"),
            of(
                    "timestamp-is-read-without-milliseconds",
                    "TimestampFormat",
                    "if (subUnits > 0) {",
                    "if (subUnits < 0) {"),
            of(
                    "timestamps-repeat",
                    "TimestampFormat",
                    "padded(env.nextLong(UNIQUE_BOUND), UNIQUE_DIGITS)",
                    "padded(0, UNIQUE_DIGITS)"),
            of(
                    "take-over-is-a-second-early",
                    "WallClock",
                    "return ahead.isNegative() ?",
                    "return ahead.minusMillis(1_000).isNegative() ?"),
            of(
                    "timestamp-never-passes",
                    "WallClock",
                    "return ahead.isNegative() ? Optional.empty() : Optional.of(ahead);",
                    "return Optional.of(ahead.isNegative() ? Duration.ZERO : ahead);"),
            of(
                    "take-over-compares-nothing",
                    "SetnxGetsetProtocol",
                    "if (found.equals(node.transactIfEqual(key, found, List.of(getset), writes.left(untilNanos)))) {",
                    "if (node.call(getset, writes.left(untilNanos)) != null) {"),
            of(
                    "release-never-deletes",
                    "SetnxGetsetProtocol",
                    "String holder = writes.deleteIfEqual(settings.key(claim.name()), expected, untilNanos);",
                    "String holder = expected;"),
            of("close-deletes-nothing", "SetnxGetsetProtocol", "if (held.isEmpty()) {", "if (held.size() >= 0) {"),
            of(
                    "deletion-compares-nothing",
                    "GuardedWrites",
                    "() -> node.transactIfEqual(key, expected, List.of(RedisCommand.of(\"DEL\", key)), left(untilNanos)),",
                    "() -> node.call(RedisCommand.of(\"DEL\", key), left(untilNanos)) == null ? null : expected,"),
            of(
                    "full-memory-is-a-failure",
                    "GuardedWrites",
                    "if (e.reason() != Reason.UNREACHABLE || untilNanos - env.nanoTime() <= 0) {",
                    "if (e.reason() != null) {"),
            of(
                    "renewals-mix-up-their-replies",
                    "TimestampRenewals",
                    "sent.get(i).settle(found.get(i))",
                    "sent.get(i).settle(found.get(found.size() - 1 - i))"),
            of(
                    "renewal-is-not-known-afterwards",
                    "TimestampRenewals",
                    "step.mine.confirmed(next);\n            } else {",
                    "step.mine.rejected(next);\n            } else {"),
            of(
                    "batch-is-not-known-afterwards",
                    "TimestampRenewals",
                    "step.mine.confirmed(next);\n                step.outcome",
                    "step.mine.rejected(next);\n                step.outcome"),
            of(
                    "concurrent-renewals-forget-each-other",
                    "WrittenTimestamps",
                    "if (writers == 1) {",
                    "if (writers > 0) {"));

    private SetnxGetsetCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-setnx-getset", "dev.interlock.setnxgetset." + className, text, other);
    }
}
