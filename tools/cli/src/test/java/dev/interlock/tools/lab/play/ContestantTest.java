// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.TestStrategies;
import dev.interlock.tools.backends.Topology;
import dev.interlock.tools.peers.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContestantTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final List<LockStrategyProvider> TRIO = List.of(new TestStrategies.TrioStrategyProvider());

    @Test
    void aStrategyThatAssumesMoreInTrialsComesASecondTimeWithThatDefault() {
        List<Contestant> all = Contestant.installed(TRIO, Map.of());

        assertThat(all).extracting(Contestant::label).containsExactly("test-trio", "test-trio (calm)");
        assertThat(all.get(0).options(LEASE)).isEqualTo(Map.of("colour", "red", "temper", "bold"));
        assertThat(all.get(1).options(LEASE)).isEqualTo(Map.of("colour", "red", "temper", "calm"));
    }

    @Test
    void whatTheUserSetsIsNotPlayedOtherwise() {
        assertThat(Contestant.installed(TRIO, Map.of("temper", "bold")))
                .extracting(Contestant::label)
                .containsExactly("test-trio (bold)");
    }

    @Test
    void aStrategyWithoutOptionsForTrialsComesOnce() {
        assertThat(Contestant.installed(List.of(new TestStrategies.WorkingStrategyProvider()), Map.of()))
                .extracting(Contestant::label)
                .containsExactly("test-working");
    }

    @Test
    void faultsOfTwoServersOutOfFiveConcernNoneThatRunsOnThree() {
        StrategyProfile three =
                new StrategyProfile("votes", "", ServerNeeds.independent(3, 3), Set.of(Capability.QUORUM), Set.of());
        StrategyProfile five =
                new StrategyProfile("votes", "", ServerNeeds.independent(3, 5), Set.of(Capability.QUORUM), Set.of());

        assertThat(LabFault.MINORITY_DEAD.concerns(five)).isTrue();
        assertThat(LabFault.MINORITY_DEAD.concerns(three)).isFalse();
        assertThat(LabFault.KILLED.concerns(three)).isTrue();
    }

    @Test
    void aStrategyThatHasTheChoiceIsPlayedOverTheOtherClientToo() {
        assertThat(Contestant.overOtherClients(List.of(strategy("set-nx-px"), strategy("redisson"))))
                .extracting(Contestant::label)
                .containsExactly("set-nx-px (lettuce)");
    }

    @ParameterizedTest
    @EnumSource(names = {"SENTINELS", "CLUSTER"})
    void whoDoesNotRunOnServersThatBelongTogetherSaysWhy(Topology topology) {
        assertThat(topology.objection(strategy("set-nx-px"))).isEmpty();
        assertThat(topology.objection(strategy("setnx-getset"))).isEmpty();
        assertThat(topology.objection(strategy("redlock")))
                .hasValueSatisfying(
                        reason -> assertThat(reason).startsWith("the strategy runs on 5 servers that are independent"));
        assertThat(topology.objection(strategy("redisson"))).isEmpty();
        assertThat(Contestant.SPECIMENS)
                .allSatisfy(specimen -> assertThat(
                                topology.objection(specimen.candidate().provider()))
                        .as(specimen.label())
                        .isPresent());
    }

    @Test
    void faultsOfServersThatDoNotKnowEachOtherConcernAll() {
        assertThat(LabFault.KILLED.topology().objection(strategy("redlock"))).isEmpty();
        assertThat(LabFault.SENTINEL_PARTITION.topology()).isEqualTo(Topology.SENTINELS);
        assertThat(LabFault.CLUSTER_PARTITION.topology()).isEqualTo(Topology.CLUSTER);
    }

    private static LockStrategyProvider strategy(String name) {
        return DistributedLocks.strategies().stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRollingDeployMixesTheOptionsInWhichClientsNeedNotAgree() {
        Contestant trio = Contestant.installed(TRIO, Map.of()).get(0);

        assertThat(trio.otherOptions()).isEqualTo(Map.of("temper", "mild"));
        assertThat(trio.servers()).isEqualTo(3);
    }

    @Test
    void theSettingsOfAnotherLibraryAreThoseOfTheLab() {
        Contestant rLock = Contestant.peers(Peers.all()).get(0);

        assertThat(rLock.effectiveOptions(Duration.ofMillis(2_345)))
                .containsEntry("lockWatchdogTimeout", "2345 ms")
                .containsEntry("timeout", "1172 ms");
    }

    @Test
    void aClientInAnotherProcessIsToldOfEachStrategyByWhatTellsItFromAllOthers() {
        List<LockStrategyProvider> all = Stream.of(
                        DistributedLocks.strategies(),
                        Peers.all(),
                        Contestant.SPECIMENS.stream()
                                .map(specimen -> specimen.candidate().provider())
                                .toList())
                .<LockStrategyProvider>flatMap(List::stream)
                .toList();

        assertThat(all)
                .allSatisfy(provider -> assertThat(LabClientMain.provider(LabClientMain.reference(provider))
                                .name())
                        .isEqualTo(provider.name()));
    }
}
