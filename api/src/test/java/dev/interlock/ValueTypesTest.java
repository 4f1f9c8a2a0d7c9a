// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
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
    void profilesAndOptionsRefuseNull() {
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
