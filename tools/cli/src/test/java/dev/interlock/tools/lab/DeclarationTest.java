// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Assumption;
import dev.interlock.Capability;
import dev.interlock.StrategyProfile;
import dev.interlock.tools.lab.Declaration.Kind;
import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeclarationTest {
    private static StrategyProfile assuming(Assumption... assumptions) {
        return new StrategyProfile("made up", Set.of(), Set.of(assumptions));
    }

    private static Kind kind(CellVerdict verdict, LabFault fault, StrategyProfile profile) {
        return Declaration.of(verdict, fault, profile).kind();
    }

    @ParameterizedTest
    @EnumSource(names = {"DETECTED", "FENCED", "VIOLATED"})
    void twoHoldersAreDeclaredByTheAssumptionThatTheFaultBreaksAndByNoOther(CellVerdict verdict) {
        assertThat(Declaration.of(verdict, LabFault.FLUSHALL, assuming(Assumption.NO_EVICTION)))
                .isEqualTo(new Declaration(Kind.ASSUMED, Assumption.NO_EVICTION));
        assertThat(kind(verdict, LabFault.FLUSHALL, assuming(Assumption.NO_FAILOVER)))
                .isEqualTo(Kind.UNDECLARED);
        assertThat(kind(verdict, LabFault.KILLED, assuming(Assumption.values())))
                .isEqualTo(Kind.UNDECLARED);
    }

    @ParameterizedTest
    @EnumSource(names = {"SAFE", "BLOCKED"})
    void whereThereAreNoTwoHoldersNothingIsToBeDeclared(CellVerdict verdict) {
        assertThat(kind(verdict, LabFault.FLUSHALL, assuming())).isEqualTo(Kind.NOTHING);
    }

    @Test
    void noLeaseHelpsAgainstAHolderThatStandsStill() {
        assertThat(kind(CellVerdict.VIOLATED, LabFault.STOPPED_WRITING, assuming()))
                .isEqualTo(Kind.ANY_LEASE);
    }

    @Test
    void noAssumptionExcusesATokenThatDoesNotFence() {
        StrategyProfile fencing =
                new StrategyProfile("made up", EnumSet.of(Capability.FENCING), EnumSet.allOf(Assumption.class));

        assertThat(kind(CellVerdict.VIOLATED, LabFault.FLUSHALL, fencing)).isEqualTo(Kind.UNDECLARED);
        assertThat(kind(CellVerdict.VIOLATED, LabFault.STOPPED_WRITING, fencing))
                .isEqualTo(Kind.UNDECLARED);
        assertThat(kind(CellVerdict.FENCED, LabFault.STOPPED_WRITING, fencing)).isEqualTo(Kind.ANY_LEASE);
    }

    @Test
    void thereIsAFaultForEachAssumptionButOne() {
        Set<Assumption> broken = Arrays.stream(LabFault.values())
                .map(fault -> fault.excuse().assumption())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());

        // No clock of this machine can be made to run at another rate.
        assertThat(EnumSet.complementOf(EnumSet.copyOf(broken))).containsExactly(Assumption.BOUNDED_CLOCK_RATES);
    }

    @ParameterizedTest
    @EnumSource
    void thePageShowsWhatEachFaultBreaks(LabFault fault) throws IOException {
        LabFault.Excuse excuse = fault.excuse();
        String breaks = excuse.assumption() != null
                ? "`" + excuse.assumption() + "`"
                : excuse.ofAnyLease() ? "any lease" : "nothing";

        assertThat(Files.readString(Path.of("../../docs/fault-lab.md")))
                .contains("| `" + fault.id() + "` | " + fault.description() + " | " + breaks + " |\n");
    }
}
