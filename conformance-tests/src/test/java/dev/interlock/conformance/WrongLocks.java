// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All wrong locks, chapter by chapter of the rules that they are there for. */
final class WrongLocks {
    private WrongLocks() {}

    static Stream<WrongLock> all() {
        List<Supplier<List<WrongLock>>> chapters = List.of(
                WrongExclusion::locks,
                WrongOwnership::locks,
                WrongLosses::locks,
                WrongReentry::locks,
                WrongInterrupts::locks,
                WrongTimedWaits::locks,
                WrongLeases::locks,
                WrongFencing::locks,
                WrongWaiting::locks,
                WrongStages::locks,
                WrongCancellations::locks,
                WrongViews::locks,
                WrongFaults::locks,
                WrongNames::locks,
                WrongLifecycle::locks);
        return chapters.stream().flatMap(chapter -> chapter.get().stream());
    }
}
