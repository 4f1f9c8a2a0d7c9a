// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of set-nx-px, and in those of {@code redis} that it uses in a simulation. */
final class SetNxPxCodeMutants {
    static final List<CodeMutant> ALL = List.of(
            of("all-claims-share-a-word", "LockWord", "return MAGIC + claim.token();", "return MAGIC + claim.name();"),
            of(
                    "acquisition-without-a-reply-is-not-undone",
                    "ScriptedAttempts",
                    "node.callOrUndo(command, () -> releases.script(claim), claim.timeout())",
                    "node.call(command, claim.timeout())"),
            of("overtaker-keeps-the-lock", "ScriptedAttempts", "releases.handOver(rest(claim, sending));", ""),
            of(
                    "counter-needs-no-proof",
                    "CountedAttempts",
                    "return proofs.atLeast(claim.name(), sending.generation, sending.nanos);",
                    "return 0;"),
            of(
                    "counter-below-its-proof-is-taken",
                    "CountedAttempts",
                    "boolean reliable = counted - claim.fences() >= atLeast",
                    "boolean reliable = counted > 0"),
            of(
                    "counted-token-is-the-one-before",
                    "CountedAttempts",
                    "counted - claim.fences() + 1)",
                    "counted - claim.fences())"),
            of(
                    "message-needs-no-proof",
                    "Places",
                    "                        .equals(message.group(1)))",
                    "                        != null)"),
            of(
                    "message-brings-a-token-of-one",
                    "Places",
                    "new GrantMessage(Long.parseLong(message.group(3)),",
                    "new GrantMessage(1,"),
            of("message-tells-no-watcher", "Places", "watcher.run();\n        }\n    }\n}", "}\n    }\n}"),
            of("message-stirs-no-waiter-of-a-condition", "Places", "stir(granted.get());", ""),
            of("watch-does-not-ask-again", "Places", "if (listening.isBegun()\n", "if (key.isEmpty()\n"),
            of("new-subscription-wakes-nobody", "Places", "watchers.values().forEach(Runnable::run);\n", ""),
            of(
                    "release-never-looks-for-waiters",
                    "ScriptedReleases",
                    "!contended.contains(name) && claim.condition().isEmpty() && freeUnlessAwaited(claim)",
                    "freeUnlessAwaited(claim) || !name.isEmpty()"),
            of(
                    "release-names-no-channel",
                    "ScriptedReleases",
                    "settings.wakeup() == Wakeup.POLL ? \"\" : keys.channel(claim.name())",
                    "\"\""),
            of(
                    "renewal-asks-for-half-a-lease",
                    "LeaseRenewals",
                    "args.add(SetNxPxProtocol.millis(claim.lease()));",
                    "args.add(SetNxPxProtocol.millis(claim.lease().dividedBy(2)));"),
            of(
                    "signal-is-sent-with-another-word",
                    "ScriptedConditions",
                    "List.of(LockWord.of(held), all ? ALL : \"1\", listLife)",
                    "List.of(LockWord.of(held) + \"0\", all ? ALL : \"1\", listLife)"),
            of("awaiting-releases-nothing", "ScriptedConditions", "releasing ? \"1\" : \"0\"", "\"0\""),
            ofRedis(
                    "names-share-a-counter",
                    "LockKeys",
                    "return base(name) + \":fence\";",
                    "return prefix + \":fence\";"),
            ofRedis(
                    "subscription-that-began-tells-nobody",
                    "waiting.ChannelState",
                    "reachable = true;\n        onChange.run();",
                    "reachable = true;"));

    private SetNxPxCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-set-nx-px", "dev.interlock.setnxpx." + className, text, other);
    }

    private static CodeMutant ofRedis(String name, String className, String text, String other) {
        return new CodeMutant(name, "redis", "dev.interlock.redis." + className, text, other);
    }
}
