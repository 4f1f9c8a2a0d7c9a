// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Verdict.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Verdicts about histories that are not valid, with their explanations. */
final class Finding {
    private Finding() {}

    /** @param rest the other calls of the holder during its hold */
    static Verdict overlap(Operation holder, List<Operation> rest, Operation other) {
        return violated(
                other,
                other.process() + " was granted it" + withFence(other) + " before " + holder.process() + ", who held it"
                        + withFence(holder) + ", can have given it up",
                Stream.concat(Stream.of(holder, other), rest.stream()));
    }

    static Verdict reentry(Operation holder, Operation again) {
        return violated(
                again,
                again.process() + " was granted it" + withFence(again) + " while it held it itself" + withFence(holder),
                Stream.of(holder, again));
    }

    static Verdict repeated(Operation first, Operation second) {
        return violated(
                second,
                second.process() + " was granted it for a new hold" + withFence(second) + ", which " + first.process()
                        + " had before",
                Stream.of(first, second));
    }

    static Verdict decreased(Operation first, Operation second) {
        return violated(
                second,
                second.process() + " was granted it" + withFence(second) + " after " + first.process()
                        + withFence(first),
                Stream.of(first, second));
    }

    /** @param unknown acquisitions of unknown outcome, some of which must have taken effect before */
    static Verdict withoutRoom(List<Operation> unknown, Operation stuck) {
        return violated(
                stuck,
                stuck.process() + " was granted it" + withFence(stuck)
                        + ", which leaves no fence for a hold of unknown outcome before it",
                Stream.concat(unknown.stream(), Stream.of(stuck)));
    }

    static Verdict withoutFence(Operation acquisition) {
        return violated(acquisition, acquisition.process() + " was granted it without a fence", Stream.of(acquisition));
    }

    static Verdict notHeld(Operation release, @Nullable Operation holder) {
        return violated(
                release,
                release.process() + " released it and did not hold it"
                        + (holder == null ? "" : "; " + holder.process() + " did"),
                Stream.of(release, release.previous(), holder));
    }

    static Verdict undecided(String lock, long steps) {
        return new Verdict(
                Outcome.UNDECIDED,
                "lock \"" + lock + "\": no order of its calls was found in " + steps
                        + " steps, and there is no memory for more. Record fewer calls without an outcome, or a shorter history",
                List.of());
    }

    private static String withFence(Operation acquisition) {
        Long fence = acquisition.fence();
        return fence == null ? "" : " with fence " + fence;
    }

    private static Verdict violated(Operation about, String what, Stream<@Nullable Operation> operations) {
        List<Event> excerpt = operations
                .filter(Objects::nonNull)
                .distinct()
                .flatMap(Operation::events)
                .distinct()
                .sorted(Comparator.comparingLong(event -> event.nanos() - about.nanos()))
                .toList();
        return new Verdict(Outcome.VIOLATED, "lock \"" + about.lock() + "\": " + what, excerpt);
    }
}
