// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.specimens.ConditionSpecimens;
import dev.interlock.specimens.GetDelSetnxStrategyProvider;
import dev.interlock.specimens.ProcessSpecimens;
import dev.interlock.specimens.ReadWriteSpecimens;
import dev.interlock.specimens.SetbitGetbitStrategyProvider;
import dev.interlock.specimens.SetnxExpireStrategyProvider;
import dev.interlock.specimens.SetnxWatchStrategyProvider;
import dev.interlock.specimens.UncheckedDelStrategyProvider;
import java.util.stream.Stream;

/** Wrong locks on Redis: known broken algorithms, and locks that fail only between processes. */
final class Specimens {
    private Specimens() {}

    static Stream<Specimen> all() {
        return Stream.concat(ofTheSources(), ofSeveralProcesses());
    }

    static Stream<Specimen> ofTheSources() {
        return Stream.of(
                Specimen.of(
                                new SetbitGetbitStrategyProvider(),
                                "1.19",
                                "2.24",
                                "2.25",
                                "2.26",
                                "2.27",
                                "2.28",
                                "2.32",
                                "2.33",
                                "2.34",
                                "2.35",
                                "2.36",
                                "2.40",
                                "2.41",
                                "3.18",
                                "3.21",
                                "3.23",
                                "3.24",
                                "5.19",
                                "6.3",
                                "6.4",
                                "6.5",
                                "6.7",
                                "6.10",
                                "6.11",
                                "6.25",
                                "6.26",
                                "6.30",
                                "6.31",
                                "6.32",
                                "6.34",
                                "6.35",
                                "6.36",
                                "6.40",
                                "6.41",
                                "8.16",
                                "8.17",
                                "8.29",
                                "9.6",
                                "9.14",
                                "9.15",
                                "9.23",
                                "9.27",
                                "12.5",
                                "12.7",
                                "12.8",
                                "12.9")
                        .races(
                                "1.7", "1.9", "1.12", "1.13", "1.17", "1.18", "8.21", "8.40", "9.13", "9.16", "9.29",
                                "12.12"),
                Specimen.of(new SetnxExpireStrategyProvider(), "12.7"),
                Specimen.of(new GetDelSetnxStrategyProvider(), "1.19"),
                Specimen.of(new UncheckedDelStrategyProvider(), "2.28", "3.21", "3.24", "6.35", "9.6")
                        .races("8.21", "9.10", "9.29"),
                Specimen.of(new SetnxWatchStrategyProvider(), "3.22", "6.5", "6.15", "6.19", "12.7"));
    }

    static Stream<Specimen> ofSeveralProcesses() {
        return Stream.of(
                Specimen.of(new ProcessSpecimens.KeyPerProcess(), "12.1", "12.12", "12.2", "12.3", "12.4", "12.8"),
                Specimen.of(new ProcessSpecimens.ThreadIdIsOwner(), "12.3", "2.10"),
                Specimen.of(new ProcessSpecimens.ClientNumberIsOwner(), "12.3"),
                Specimen.of(new ProcessSpecimens.DeadWaitersQueue(), "12.6"),
                Specimen.of(new ProcessSpecimens.FenceFromStartTime(), "12.10", "12.11"),
                Specimen.of(new ProcessSpecimens.TokenOfTheMoment(), "12.11"),
                Specimen.of(new ProcessSpecimens.ToldTwice(), "12.8"),
                Specimen.of(new ProcessSpecimens.UnlockDeletesTheKey(), "12.9", "2.26", "2.28", "9.14", "11.6"),
                Specimen.of(new ProcessSpecimens.RenewedLocally(), "12.4", "6.27"),
                Specimen.of(new ProcessSpecimens.RenewedForTooLong(), "12.5", "6.30"),
                Specimen.of(new ProcessSpecimens.HearsItsOwnProcess(), "12.2", "8.22"),
                Specimen.of(new ConditionSpecimens.SignalsForTheDead(), "13.43", "13.44", "13.50", "13.51", "13.52"),
                Specimen.of(new ConditionSpecimens.SignalsBelievedLate(), "13.50"),
                Specimen.of(new ConditionSpecimens.ConditionsPerProcess(), "13.42"),
                Specimen.of(new ConditionSpecimens.SignalsWithTheRelease(), "13.45"),
                Specimen.of(new ReadWriteSpecimens.LeasesEndedByClients(), "14.46", "14.49"),
                Specimen.of(new ReadWriteSpecimens.LeasedForTooLong(), "14.46", "14.49"),
                Specimen.of(new ReadWriteSpecimens.TurnsBelievedLate(), "14.48"),
                Specimen.of(new ReadWriteSpecimens.DeadWritersWait(), "14.47", "14.48"),
                Specimen.of(new ProcessSpecimens.NamesTakenAreBelieved(), "15.23"));
    }
}
