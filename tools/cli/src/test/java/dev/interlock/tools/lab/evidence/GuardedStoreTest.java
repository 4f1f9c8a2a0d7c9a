// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import static dev.interlock.tools.lab.evidence.GuardedStore.Write.ACCEPTED;
import static dev.interlock.tools.lab.evidence.GuardedStore.Write.REFUSED;
import static dev.interlock.tools.lab.evidence.GuardedStore.Write.STALE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GuardedStoreTest {
    private final GuardedStore unfenced = new GuardedStore(false);
    private final GuardedStore fenced = new GuardedStore(true);

    @Test
    void aWriteToWhatItsWriterHasReadIsAccepted() {
        assertThat(unfenced.write(1L, unfenced.read(1L))).isEqualTo(ACCEPTED);
        assertThat(fenced.write(1L, fenced.read(1L))).isEqualTo(ACCEPTED);
    }

    @Test
    void aStoreThatLooksAtNoTokensAcceptsAStaleWrite() {
        long seen = unfenced.read(1L);
        unfenced.write(2L, unfenced.read(2L));

        assertThat(unfenced.write(1L, seen)).isEqualTo(STALE);
    }

    @Test
    void aStoreThatChecksTokensRefusesASmallerOneThanItHasSeenEvenInARead() {
        long seen = fenced.read(1L);
        fenced.read(2L);

        assertThat(fenced.write(1L, seen)).isEqualTo(REFUSED);
    }

    @Test
    void aTokenThatDoesNotFenceIsSeenThrough() {
        long seen = fenced.read(2L);
        fenced.write(1L, seen);
        fenced.write(2L, fenced.read(2L));

        assertThat(fenced.write(2L, seen)).isEqualTo(STALE);
    }

    @Test
    void whoHasNoTokenIsNotChecked() {
        long seen = fenced.read(null);
        fenced.write(null, fenced.read(null));

        assertThat(fenced.write(null, seen)).isEqualTo(STALE);
    }
}
