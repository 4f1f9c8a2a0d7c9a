// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.lab.Declaration.Kind;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeclarationTest {
    private static StrategyProfile assuming(Assumption... assumptions) {
        return new StrategyProfile("made up", Set.of(), Set.of(assumptions));
    }

    private static Kind kind(CellVerdict verdict, LabFault fault, StrategyProfile profile) {
        return Declaration.of(verdict, false, fault, profile).kind();
    }

    @ParameterizedTest
    @EnumSource(names = {"DETECTED", "FENCED", "VIOLATED"})
    void twoHoldersAreDeclaredByTheAssumptionThatTheFaultBreaksAndByNoOther(CellVerdict verdict) {
        assertThat(Declaration.of(verdict, false, LabFault.FLUSHALL, assuming(Assumption.NO_EVICTION)))
                .isEqualTo(new Declaration(Kind.ASSUMED, Assumption.NO_EVICTION));
        assertThat(kind(verdict, LabFault.FLUSHALL, assuming(Assumption.NO_FAILOVER)))
                .isEqualTo(Kind.UNDECLARED);
        assertThat(kind(verdict, LabFault.KILLED, assuming(Assumption.values())))
                .isEqualTo(Kind.UNDECLARED);
    }

    /** By default the servers of redlock keep the list of servers, and tell it to clients with another one. */
    @ParameterizedTest
    @EnumSource(names = {"NODE_MOVED", "NODES_CHANGED"})
    void listsThatShareServersExcuseOnlyStrategiesWhoseServersKeepNoList(LabFault fault) {
        assertThat(Declaration.of(
                        CellVerdict.FENCED,
                        false,
                        fault,
                        assuming(Assumption.SAME_SERVERS, Assumption.RESTART_KEEPS_DATA)))
                .isEqualTo(new Declaration(Kind.ASSUMED, Assumption.SAME_SERVERS));
        assertThat(kind(CellVerdict.FENCED, fault, redlock("trust"))).isEqualTo(Kind.ASSUMED);
        assertThat(kind(CellVerdict.FENCED, fault, redlock("wait"))).isEqualTo(Kind.UNDECLARED);
    }

    private static StrategyProfile redlock(String coldStart) {
        LockStrategyProvider redlock = DistributedLocks.strategies().stream()
                .filter(provider -> provider.name().equals("redlock"))
                .findFirst()
                .orElseThrow();
        Map<String, String> options = Map.of("cold-start", coldStart);
        return new Contestant(new ConfiguredStrategy(redlock, options), false).profile(Duration.ofSeconds(2));
    }

    @Test
    void whereSomebodyCouldHaveTheLockAndNeverTwoNothingIsToBeDeclared() {
        assertThat(kind(CellVerdict.SAFE, LabFault.FLUSHALL, assuming())).isEqualTo(Kind.NOTHING);
    }

    @Test
    void aLockThatNobodyCanHaveIsExcusedByAFaultThatTakesTheServersAwayAndByNoAssumption() {
        assertThat(kind(CellVerdict.BLOCKED, LabFault.REDIS_STALLED, assuming()))
                .isEqualTo(Kind.OUTAGE);
        assertThat(kind(CellVerdict.BLOCKED, LabFault.KILLED, assuming(Assumption.values())))
                .isEqualTo(Kind.UNDECLARED);
    }

    @Test
    void noFaultExcusesALockThatNobodyGetsOnceItIsOver() {
        assertThat(Declaration.of(CellVerdict.BLOCKED, true, LabFault.REDIS_STALLED, assuming())
                        .kind())
                .isEqualTo(Kind.UNDECLARED);
    }

    @ParameterizedTest
    @EnumSource
    void whatCouldNotBeDecidedIsNeverDeclared(LabFault fault) {
        assertThat(kind(CellVerdict.UNDECIDED, fault, assuming(Assumption.values())))
                .isEqualTo(Kind.UNDECLARED);
    }

    @Test
    void aKnownDefectIsOneForItsStrategyFaultAndVerdictAlone() {
        KnownDefects known = new KnownDefects(
                List.of(KnownDefects.Defect.parse("a-lock\tcut\tviolated\tit takes silence for consent")));
        Declaration undeclared = new Declaration(Kind.UNDECLARED, null);

        assertThat(known.judge(undeclared, "a-lock", LabFault.CUT, CellVerdict.VIOLATED)
                        .kind())
                .isEqualTo(Kind.KNOWN_DEFECT);
        assertThat(known.judge(undeclared, "a-lock", LabFault.CUT, CellVerdict.FENCED))
                .isEqualTo(undeclared);
        assertThat(known.judge(undeclared, "a-lock", LabFault.KILLED, CellVerdict.VIOLATED))
                .isEqualTo(undeclared);
        assertThat(known.judge(undeclared, "b-lock", LabFault.CUT, CellVerdict.VIOLATED))
                .isEqualTo(undeclared);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a-lock\tcut\tviolated",
                "a-lock\tearthquake\tviolated\tit shakes",
                "a-lock\tcut\tviolated\t ",
                "a-lock\tcut\tundecided\tits history is long"
            })
    void aKnownDefectHasAFaultThatThereIsAReasonAndAVerdictThatWasReached(String line) {
        assertThatIllegalArgumentException().isThrownBy(() -> KnownDefects.Defect.parse(line));
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
    void thereIsAFaultForEachAssumption() {
        Set<Assumption> broken = Arrays.stream(LabFault.values())
                .map(fault -> fault.excuse().assumption())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());

        assertThat(broken).containsExactlyInAnyOrder(Assumption.values());
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
