// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CellVerdictTest {
    private static final long LEASE = 2000;

    private long twoHolders;
    private long nobody;
    private boolean unserved;
    private int stale;
    private int staleFenced;
    private int late;
    private boolean tokensTell;
    private @Nullable Long told = 1L;
    private String history = "VALID";

    private CellVerdict verdict() {
        return CellVerdict.of(evidence());
    }

    private Evidence evidence() {
        return new Evidence(
                LEASE,
                twoHolders,
                nobody,
                unserved,
                stale,
                staleFenced,
                0,
                late,
                tokensTell,
                null,
                told,
                null,
                List.of(),
                history,
                null,
                List.of());
    }

    @Test
    void oneHolderAfterAnotherIsSafe() {
        nobody = LEASE;

        assertThat(verdict()).isEqualTo(CellVerdict.SAFE);
    }

    @Test
    void twoValidLeasesAtOnceAreTwoHoldersHoweverShort() {
        twoHolders = 1;

        assertThat(verdict()).isEqualTo(CellVerdict.DETECTED);
    }

    @Test
    void twoValidLeasesAtOnceForAMicrosecondAreTwoHolders() {
        List<Moment> moments = List.of(
                moment(0, "holder", What.GRANTED),
                moment(1_000_000, "lab", What.STRUCK),
                moment(2_000_000, "rival", What.GRANTED),
                moment(2_001_000, "holder", What.TOLD),
                moment(3_000_000, "rival", What.RELEASING));
        Verdict valid = new Checker(new Model(true, false)).check(List.of());

        Evidence evidence = Evidence.of(Duration.ofMillis(LEASE), moments, 4_000_000, valid, false, List.of());

        assertThat(CellVerdict.of(evidence)).isEqualTo(CellVerdict.DETECTED);
        assertThat(evidence.twoHoldersMillis()).isEqualTo(1);
    }

    private static Moment moment(long nanos, String who, What what) {
        return new Moment(nanos, who, what, null, null, null, null);
    }

    @Test
    void twoHoldersOfWhomNobodyWasToldAreAViolationThoughNothingWasOverwritten() {
        twoHolders = LEASE;
        told = null;

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aHolderThatWroteBesideTheNextOneWasNotToldInTime() {
        twoHolders = LEASE;
        late = 1;

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aStaleWriteThatOnlyTheFencedStoreRefusedIsFencedIfTokensTellTheRightHolder() {
        twoHolders = LEASE;
        stale = 1;
        late = 1;
        history = "VIOLATED";
        tokensTell = true;

        assertThat(verdict()).isEqualTo(CellVerdict.FENCED);
    }

    @Test
    void aStaleWriteIsAViolationThoughTheFencedStoreRefusedItIfTokensDoNotTellTheRightHolder() {
        stale = 1;
        late = 1;

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aStaleWriteInBothStoresIsAViolation() {
        stale = 1;
        staleFenced = 1;

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aHistoryThatNoLockExplainsIsAViolation() {
        history = "VIOLATED";

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aHistoryThatNoLockExplainsIsAViolationThoughTheHolderWasTold() {
        history = "VIOLATED";
        twoHolders = LEASE;

        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    /** Tokens that ascend say which of two holders is right, and nothing about any other impossible answer. */
    @Test
    void aHistoryThatNoLockExplainsIsAViolationThoughTokensAscendIfNobodyHeldTheLockBesideAnother() {
        tokensTell = true;
        history = "VIOLATED";
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);

        stale = 1;
        late = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void whatCouldHaveBeenOverwrittenButForTokensIsFenced() {
        tokensTell = true;
        history = "VIOLATED";
        twoHolders = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.FENCED);

        history = "VALID";
        twoHolders = 0;
        late = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.FENCED);

        staleFenced = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aHistoryThatCouldNotBeJudgedIsNeitherSafeNorBlocked() {
        history = "UNDECIDED";
        assertThat(verdict()).isEqualTo(CellVerdict.UNDECIDED);

        unserved = true;
        assertThat(verdict()).isEqualTo(CellVerdict.UNDECIDED);
    }

    /** An assumption excuses two holders, but not that nobody knows whether the clients were told what a lock tells. */
    @Test
    void aHistoryThatCouldNotBeJudgedIsWorseThanTwoHoldersWhoDidNoHarm() {
        history = "UNDECIDED";
        twoHolders = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.UNDECIDED);

        tokensTell = true;
        late = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.UNDECIDED);

        stale = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.UNDECIDED);
    }

    @Test
    void aViolationThatWasSeenIsOneThoughTheHistoryCouldNotBeJudged() {
        history = "UNDECIDED";
        stale = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);

        tokensTell = true;
        staleFenced = 1;
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);

        stale = 0;
        staleFenced = 0;
        twoHolders = 1;
        told = null;
        assertThat(verdict()).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void nobodyForLongerThanADeadHoldersLeaseAndAsMuchAgainIsBlocked() {
        nobody = 2 * LEASE;
        assertThat(verdict()).isEqualTo(CellVerdict.SAFE);

        nobody = 2 * LEASE + 1;
        assertThat(verdict()).isEqualTo(CellVerdict.BLOCKED);

        nobody = 0;
        unserved = true;
        assertThat(verdict()).isEqualTo(CellVerdict.BLOCKED);
    }

    @Test
    void twoHoldersAreWorseThanNone() {
        twoHolders = LEASE;
        nobody = 9 * LEASE;
        unserved = true;

        assertThat(verdict()).isEqualTo(CellVerdict.DETECTED);
    }

    /** A holder that lost the lock to a rival is no sign that the machine was too busy for the cell. */
    @Test
    void harmIsAVerdictThoughTheHolderLostTheLockForNoReason() {
        IllegalStateException lost = new IllegalStateException();
        Runnable requireHeld = () -> {
            throw lost;
        };
        assertThatThrownBy(() -> FaultLab.judge(evidence(), requireHeld)).isSameAs(lost);

        unserved = true;
        assertThat(FaultLab.judge(evidence(), requireHeld)).isEqualTo(CellVerdict.BLOCKED);

        twoHolders = 1;
        assertThat(FaultLab.judge(evidence(), requireHeld)).isEqualTo(CellVerdict.DETECTED);

        stale = 1;
        assertThat(FaultLab.judge(evidence(), requireHeld)).isEqualTo(CellVerdict.VIOLATED);
    }
}
