// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.specimens.GetDelSetnxStrategyProvider;
import dev.interlock.conformance.specimens.SetbitGetbitStrategyProvider;
import dev.interlock.conformance.specimens.SetnxExpireStrategyProvider;
import dev.interlock.conformance.specimens.SetnxWatchStrategyProvider;
import dev.interlock.conformance.specimens.UncheckedDelStrategyProvider;
import java.util.stream.Stream;

/** The broken locks of the source documents. */
final class Specimens {
    private Specimens() {}

    static Stream<Specimen> all() {
        return Stream.of(
                Specimen.of(new SetbitGetbitStrategyProvider()),
                Specimen.of(new SetnxExpireStrategyProvider()),
                Specimen.of(new GetDelSetnxStrategyProvider()),
                Specimen.of(new UncheckedDelStrategyProvider()),
                Specimen.of(new SetnxWatchStrategyProvider()));
    }
}
