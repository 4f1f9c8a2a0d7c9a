// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.waiting.ContendedNames;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The time for which a client relies on the value of a counter. */
class CounterProofsTest {
    private static final long NOW = Long.MAX_VALUE - 5;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final CounterProofs proofs = new CounterProofs();

    @Test
    void aProofHoldsForItsNameAndGenerationForLessThanASecond() {
        proofs.note("name", 42, NOW, 7);
        assertThat(proofs.atLeast("name", 7, NOW)).isEqualTo(42);
        assertThat(proofs.atLeast("name", 7, NOW + SECOND - 1)).isEqualTo(42);
        assertThat(proofs.atLeast("name", 7, NOW + SECOND)).isEqualTo(-1);
        assertThat(proofs.atLeast("name", 8, NOW)).isEqualTo(-1);
        assertThat(proofs.atLeast("other", 7, NOW)).isEqualTo(-1);
    }

    @Test
    void nothingIsProvenOverConnectionsThatAreNotKnown() {
        proofs.note("name", 42, NOW, -1);
        assertThat(proofs.atLeast("name", -1, NOW)).isEqualTo(-1);
    }

    @Test
    void whatIsForgottenIsNotBelievedUntilItIsProvenAgain() {
        proofs.note("name", 42, NOW, 7);
        proofs.forget("other");
        assertThat(proofs.atLeast("name", 7, NOW)).isEqualTo(42);
        proofs.forget("name");
        assertThat(proofs.atLeast("name", 7, NOW)).isEqualTo(-1);
        proofs.note("name", 43, NOW, 7);
        assertThat(proofs.atLeast("name", 7, NOW)).isEqualTo(43);
    }

    @Test
    void aMillionNamesTakeNoMoreRoomThanAFewThousand() {
        IntStream.range(0, 1_000_000).forEach(i -> proofs.note("name-" + i, i, NOW, 7));
        long proven = IntStream.range(0, 1_000_000)
                .filter(i -> proofs.atLeast("name-" + i, 7, NOW) >= 0)
                .count();
        assertThat(proven).isBetween(1_000L, 5_000L);
    }

    @Test
    void namesTakeThePlaceOfOthersAmongThoseThatWereContended() {
        ContendedNames contended = new ContendedNames();
        IntStream.range(0, 100_000).forEach(i -> contended.add("name-" + i));
        assertThat(contended.contains("name-99999")).isTrue();
        assertThat(IntStream.range(0, 100_000)
                        .filter(i -> contended.contains("name-" + i))
                        .count())
                .isBetween(500L, 1_024L);
        contended.remove("name-99999");
        assertThat(contended.contains("name-99999")).isFalse();
    }
}
