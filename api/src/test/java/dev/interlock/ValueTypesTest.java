// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The profile of a strategy, its options, and the exceptions. */
class ValueTypesTest {
    @Test
    void aProfileKeepsItsOwnCopiesInTheOrderOfTheEnums() {
        Set<Capability> capabilities = EnumSet.of(Capability.FENCING, Capability.REENTRANT);
        Set<Assumption> assumptions = EnumSet.of(Assumption.NO_EVICTION);
        StrategyProfile profile = new StrategyProfile("an algorithm", capabilities, assumptions);
        capabilities.clear();
        assumptions.clear();

        assertThat(profile.capabilities())
                .containsExactly(Capability.REENTRANT, Capability.FENCING)
                .isUnmodifiable();
        assertThat(profile.assumptions())
                .containsExactly(Assumption.NO_EVICTION)
                .isUnmodifiable();
        assertThat(profile.supports(Capability.FENCING)).isTrue();
        assertThat(profile.supports(Capability.QUORUM)).isFalse();
    }

    @Test
    void aProfileCanBeEmpty() {
        StrategyProfile profile = new StrategyProfile("nothing", Set.of(), Set.of());

        assertThat(profile.capabilities()).isEmpty();
        assertThat(profile.assumptions()).isEmpty();
    }

    @Test
    void switchingCapabilitiesOffLeavesTheOriginalAlone() {
        StrategyProfile profile =
                new StrategyProfile("all", EnumSet.allOf(Capability.class), EnumSet.allOf(Assumption.class));
        StrategyProfile less = profile.without(Capability.FENCING, Capability.QUORUM);

        assertThat(less.capabilities())
                .doesNotContain(Capability.FENCING, Capability.QUORUM)
                .hasSize(Capability.values().length - 2);
        assertThat(less.assumptions()).isEqualTo(profile.assumptions());
        assertThat(profile.capabilities()).hasSize(Capability.values().length);
        assertThat(less.without(Capability.FENCING)).isEqualTo(less);
    }

    @Test
    void switchingCapabilitiesOffKeepsPurposeAndServers() {
        StrategyProfile profile = new StrategyProfile(
                "all", "be there", ServerNeeds.independent(3, 5), EnumSet.allOf(Capability.class), Set.of());

        assertThat(profile.without(Capability.FENCING))
                .isEqualTo(new StrategyProfile(
                        "all",
                        "be there",
                        ServerNeeds.independent(3, 5),
                        EnumSet.complementOf(EnumSet.of(Capability.FENCING)),
                        Set.of()));
    }

    @Test
    void aProfileThatDoesNotSayOtherwiseWantsOneServer() {
        StrategyProfile profile = new StrategyProfile("one", Set.of(), Set.of());

        assertThat(profile.servers()).isEqualTo(ServerNeeds.ONE);
        assertThat(profile.purpose()).isEmpty();
    }

    @Test
    void serversAreCountedAndSaidInHalfALine() {
        assertThat(ServerNeeds.ONE.summary()).isEqualTo("1 server");
        assertThat(ServerNeeds.independent(3, 5).summary())
                .isEqualTo("5 servers that are independent of each other, at least 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerNeeds.independent(0, 5))
                .withMessageContaining("minimum is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerNeeds.independent(4, 3))
                .withMessageContaining("minimum is 4 and usual is 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ServerNeeds(1, 2, ServerNeeds.Relation.SINGLE))
                .withMessageContaining("several servers are INDEPENDENT");
    }

    @Test
    void anOptionSaysWhatToTakeInTrialsAndInWhatClientsNeedNotAgree() {
        StrategyOption option = new StrategyOption("patience", "1s", "how long");

        assertThat(option.trialValue()).isEmpty();
        assertThat(option.mixedValue()).isEmpty();
        assertThat(option.inTrials("5s").mixedWith("2s"))
                .isEqualTo(new StrategyOption("patience", "1s", "how long", Optional.of("5s"), Optional.of("2s")))
                .isEqualTo(option.mixedWith("2s").inTrials("5s"));
    }

    @Test
    void profilesAndOptionsRefuseNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> new StrategyProfile("", null, ServerNeeds.ONE, Set.of(), Set.of()));
        assertThatNullPointerException().isThrownBy(() -> new StrategyProfile("", "", null, Set.of(), Set.of()));
        assertThatNullPointerException().isThrownBy(() -> new ServerNeeds(1, 1, null));
        assertThatNullPointerException().isThrownBy(() -> new StrategyOption("", "", "").inTrials(null));
        assertThatNullPointerException().isThrownBy(() -> new StrategyOption("", "", "").mixedWith(null));
        assertThatNullPointerException().isThrownBy(() -> new StrategyProfile(null, Set.of(), Set.of()));
        assertThatNullPointerException().isThrownBy(() -> new StrategyProfile("", null, Set.of()));
        assertThatNullPointerException().isThrownBy(() -> new StrategyProfile("", Set.of(), null));
        assertThatNullPointerException().isThrownBy(() -> new StrategyOption(null, "", ""));
        assertThatNullPointerException().isThrownBy(() -> new StrategyOption("", null, ""));
        assertThatNullPointerException().isThrownBy(() -> new StrategyOption("", "", null));
    }

    @ParameterizedTest
    @EnumSource
    void aLostLeaseSaysWhichLockAndWhy(LossCause cause) {
        LeaseLostException thrown = new LeaseLostException("invoice:42", cause);

        assertThat(thrown)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessage("the lease of lock \"invoice:42\" was lost: " + cause.summary());
        assertThat(thrown.lockName()).isEqualTo("invoice:42");
        assertThat(thrown.lossCause()).isEqualTo(cause);
    }

    @ParameterizedTest
    @EnumSource
    void aFailureOfTheBackendSaysWhatMayBeConcluded(LockBackendException.Reason reason) {
        Throwable cause = new IllegalStateException("broken");

        assertThat(new LockBackendException(reason, "no answer", cause))
                .hasMessage("no answer")
                .hasCause(cause)
                .satisfies(thrown -> assertThat(thrown.reason()).isEqualTo(reason));
        assertThat(new LockBackendException(reason, "no answer")).hasNoCause();
    }

    @Test
    void exceptionsRefuseNull() {
        assertThatNullPointerException().isThrownBy(() -> new LeaseLostException(null, LossCause.GONE));
        assertThatNullPointerException().isThrownBy(() -> new LeaseLostException("a", null));
        assertThatNullPointerException().isThrownBy(() -> new LockBackendException(null, "a"));
        assertThatNullPointerException().isThrownBy(() -> new NoSuchLockStrategyException(null, List.of()));
        assertThatNullPointerException().isThrownBy(() -> new NoSuchLockStrategyException("a", null));
    }

    @ParameterizedTest
    @EnumSource(Capability.class)
    void capabilitiesAreDescribedInHalfALine(Capability capability) {
        assertThat(capability.summary()).isNotBlank().hasSizeLessThan(60);
    }

    @ParameterizedTest
    @EnumSource(Assumption.class)
    void assumptionsAreDescribedInHalfALine(Assumption assumption) {
        assertThat(assumption.summary())
                .isNotBlank()
                .hasSizeLessThan(60)
                .isNotEqualTo(assumption.name().toLowerCase(Locale.ROOT));
    }
}
