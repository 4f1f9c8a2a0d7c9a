// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.lab.evidence.Evidence;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CellVerdictTest {
    private static final long LEASE = 2000;

    private static Evidence evidence(
            long twoHolders, long nobody, boolean unserved, int stale, int staleFenced, String history) {
        return evidence(twoHolders, nobody, unserved, stale, staleFenced, history, 1L);
    }

    private static Evidence evidence(
            long twoHolders,
            long nobody,
            boolean unserved,
            int stale,
            int staleFenced,
            String history,
            @Nullable Long told) {
        return new Evidence(
                LEASE,
                twoHolders,
                nobody,
                unserved,
                stale,
                staleFenced,
                0,
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
        assertThat(CellVerdict.of(evidence(0, LEASE, false, 0, 0, "VALID"))).isEqualTo(CellVerdict.SAFE);
    }

    @Test
    void whatANoticeTakesOnABusyMachineIsNoOverlap() {
        assertThat(CellVerdict.of(evidence(LEASE / 8, 0, false, 0, 0, "VALID"))).isEqualTo(CellVerdict.SAFE);
        assertThat(CellVerdict.of(evidence(LEASE / 8 + 1, 0, false, 0, 0, "VALID")))
                .isEqualTo(CellVerdict.DETECTED);
    }

    @Test
    void twoHoldersOfWhomNobodyWasToldAreAViolationThoughNothingWasOverwritten() {
        assertThat(CellVerdict.of(evidence(LEASE, 0, false, 0, 0, "VALID", null)))
                .isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aStaleWriteThatOnlyTheFencedStoreRefusedIsFenced() {
        assertThat(CellVerdict.of(evidence(1, 0, false, 1, 0, "VIOLATED"))).isEqualTo(CellVerdict.FENCED);
    }

    @Test
    void aStaleWriteInBothStoresIsAViolation() {
        assertThat(CellVerdict.of(evidence(1, 0, false, 1, 1, "VIOLATED"))).isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    void aHistoryThatNoLockExplainsIsAViolation() {
        assertThat(CellVerdict.of(evidence(0, 0, false, 0, 0, "VIOLATED"))).isEqualTo(CellVerdict.VIOLATED);
        assertThat(CellVerdict.of(evidence(0, 0, false, 0, 0, "UNDECIDED"))).isEqualTo(CellVerdict.SAFE);
    }

    @Test
    void nobodyForLongerThanADeadHoldersLeaseAndAsMuchAgainIsBlocked() {
        assertThat(CellVerdict.of(evidence(0, 2 * LEASE, false, 0, 0, "VALID"))).isEqualTo(CellVerdict.SAFE);
        assertThat(CellVerdict.of(evidence(0, 2 * LEASE + 1, false, 0, 0, "VALID")))
                .isEqualTo(CellVerdict.BLOCKED);
        assertThat(CellVerdict.of(evidence(0, 0, true, 0, 0, "VALID"))).isEqualTo(CellVerdict.BLOCKED);
    }

    @Test
    void twoHoldersAreWorseThanNone() {
        assertThat(CellVerdict.of(evidence(LEASE, 9 * LEASE, true, 0, 0, "VALID")))
                .isEqualTo(CellVerdict.DETECTED);
    }
}
