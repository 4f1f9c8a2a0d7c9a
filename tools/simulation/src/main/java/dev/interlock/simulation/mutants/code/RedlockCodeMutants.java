// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.util.List;

/** Deliberate errors in the classes of redlock. */
final class RedlockCodeMutants {
    static final List<CodeMutant> ALL = List.of(
            of("majority-is-half", "joint.Majorities", "return nodes / 2 + 1;", "return nodes / 2;"),
            of("majority-is-all", "joint.Majorities", "return nodes / 2 + 1;", "return nodes;"),
            of("vote-counts-twice", "Tally", "yes++;", "yes += 2;"),
            of("refusal-counts-as-a-vote", "Tally", "said -> Votes.isGrant(said) ? YES : -1", "said -> YES"),
            of(
                    "lease-is-lost-at-one-server",
                    "Tally",
                    "return gone + taken > size - majority();",
                    "return gone + taken > 0;"),
            of(
                    "grant-of-the-lead-counts-whole",
                    "AcquireRound",
                    "return leadGrant == null ? poll.beganNanos() + settings.validityNanos(claim.lease()) : leadGrant.endNanos;",
                    "return poll.beganNanos() + settings.validityNanos(claim.lease());"),
            of(
                    "failed-round-is-not-undone",
                    "AcquireRound",
                    "sent[i] = mayHold(i) && (poll.giveUp(i) || granted[i]);",
                    "sent[i] = false;"),
            of(
                    "restarted-server-votes-at-once",
                    "birth.Eligibility",
                    "return exclusion() == null ? asideNanos() - ageNanos(nowNanos) : NEVER;",
                    "return exclusion() == null ? 0 : NEVER;"),
            of(
                    "new-process-keeps-the-age-of-the-last",
                    "birth.Eligibility",
                    "toldPeers.clear();\n                measureFrom(next.age().toNanos(), nowNanos);",
                    "toldPeers.clear();"),
            of(
                    "later-list-is-ignored",
                    "birth.Electorate",
                    "boolean newer = told.revision() > now.configuration.revision();",
                    "boolean newer = told.revision() < 0;"),
            of(
                    "passed-lease-is-released-too",
                    "LeadQueue",
                    "if (calls.pass(claim, turn, root) != LeadCalls.Passing.REFUSED) {",
                    "if (calls.pass(claim, turn, root) == null) {"),
            of("passed-token-repeats", "LeadQueue", "fence == 0 ? 0 : fence + claim.fences()", "fence"),
            of(
                    "waiter-without-a-grant-does-not-leave",
                    "LeadQueue",
                    "turns.remove(claim);\n            calls.leave(claim, turn);",
                    "turns.remove(claim);"),
            of("message-grants-nobody", "lead.Turns", "note.accept(turn, queued);", ""),
            of(
                    "connection-that-ended-is-kept",
                    "line.NodeConnection",
                    "} else if (!current.isOpen() || current.owingNanos(nowNanos) > timeout.toNanos()) {",
                    "} else if (current.owingNanos(nowNanos) > timeout.toNanos()) {"));

    private RedlockCodeMutants() {}

    private static CodeMutant of(String name, String className, String text, String other) {
        return new CodeMutant(name, "strategy-redlock", "dev.interlock.redlock." + className, text, other);
    }
}
