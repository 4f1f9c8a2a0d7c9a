// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All wrong locks, chapter by chapter of the rules that they are there for. */
final class WrongLocks {
    private WrongLocks() {}

    static Stream<WrongLock> all() {
        return Stream.concat(ofCalls(), ofStages());
    }

    /** Those that are wrong in how they acquire while a caller waits, and in all else. */
    static Stream<WrongLock> ofCalls() {
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
                WrongViews::locks,
                WrongFaults::locks,
                WrongNames::locks,
                WrongLifecycle::locks);
        return chapters.stream().flatMap(chapter -> chapter.get().stream());
    }

    /** Those that are wrong in how they acquire for a stage. */
    static Stream<WrongLock> ofStages() {
        return Stream.concat(WrongStages.locks().stream(), WrongCancellations.locks().stream());
    }
}
