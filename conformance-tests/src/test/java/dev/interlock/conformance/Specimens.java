// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.stream.Stream;

/** The broken locks of the source documents, and those that are wrong where processes meet. */
final class Specimens {
    private Specimens() {}

    static Stream<Specimen> all() {
        return Stream.of(
                Specimen.of(new SetbitGetbitStrategyProvider()),
                Specimen.of(new SetnxExpireStrategyProvider()),
                Specimen.of(new GetDelSetnxStrategyProvider()),
                Specimen.of(new UncheckedDelStrategyProvider()),
                Specimen.of(new SetnxWatchStrategyProvider()),
                Specimen.of(new ProcessSpecimens.KeyPerProcess()),
                Specimen.of(new ProcessSpecimens.ThreadIdIsOwner()),
                Specimen.of(new ProcessSpecimens.DeadWaitersQueue()),
                Specimen.of(new ProcessSpecimens.FenceFromProcessId()),
                Specimen.of(new ProcessSpecimens.RenewedLocally()),
                Specimen.of(new ProcessSpecimens.HearsItsOwnProcess()));
    }
}
