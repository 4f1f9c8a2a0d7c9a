// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.stages.WrongCancellations;
import dev.interlock.conformance.stages.WrongCarriers;
import dev.interlock.conformance.stages.WrongStages;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All wrong locks, in the order of the chapters whose rules they break. */
public final class WrongLocks {
    private WrongLocks() {}

    public static Stream<WrongLock> all() {
        return Stream.concat(ofCalls(), ofStages());
    }

    /** All wrong locks but those of {@link #ofStages}. */
    public static Stream<WrongLock> ofCalls() {
        // First those whose rules wait longest, so that the others do not wait for them in the end.
        List<Supplier<List<WrongLock>>> chapters = List.of(
                WrongSeverals::locks,
                WrongConditions::locks,
                WrongLifecycle::locks,
                WrongExclusion::locks,
                WrongOwnership::locks,
                WrongLosses::locks,
                WrongReentry::locks,
                WrongInterrupts::locks,
                WrongTimedWaits::locks,
                WrongLeases::locks,
                WrongFencing::locks,
                WrongWaiting::locks,
                WrongViews::locks,
                WrongFaults::locks,
                WrongNames::locks,
                WrongReadWrite::locks);
        return chapters.stream().flatMap(chapter -> chapter.get().stream());
    }

    /** The wrong locks whose asynchronous acquisitions are broken. */
    public static Stream<WrongLock> ofStages() {
        return Stream.of(WrongStages.locks(), WrongCancellations.locks(), WrongCarriers.locks())
                .flatMap(List::stream);
    }
}
