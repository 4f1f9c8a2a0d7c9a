// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Losses of threads are not remembered for ever. */
class LostHoldsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Thread current = Thread.currentThread();
    private final LostHolds lostHolds =
            new LostHolds(Environment.system(), Duration.ofSeconds(1).toNanos());

    @Test
    void ofAThreadThatNeverAsksTheThousandLatestLossesAreRemembered() {
        for (int i = 0; i <= 1_000; i++) {
            lostHolds.add(current, "lock " + i, 1, LossCause.GONE);
        }
        assertThat(lostHolds.takeBack(current, "lock 0")).as("the oldest").isNull();
        assertThat(lostHolds.takeBack(current, "lock 1")).isEqualTo(LossCause.GONE);
        assertThat(lostHolds.takeBack(current, "lock 1000")).isEqualTo(LossCause.GONE);
    }

    @Test
    void aThreadThatHasTakenBackAllThatItLostIsForgotten() {
        lostHolds.add(current, "one", 1, LossCause.GONE);
        lostHolds.add(current, "other", 2, LossCause.GONE);
        lostHolds.takeBack(current, "one");
        lostHolds.takeBack(current, "other");
        assertThat(lostHolds.threads()).isOne();
        lostHolds.takeBack(current, "other");
        assertThat(lostHolds.threads()).isZero();
    }

    @Test
    void aThreadThatHasAcquiredAfreshWhatItLostIsForgotten() {
        lostHolds.add(current, "one", 1, LossCause.GONE);
        lostHolds.forget(current, "one");
        assertThat(lostHolds.threads()).isZero();
    }

    @Test
    void threadsThatAreNoMoreAreForgottenAtTheNextLoss() {
        for (int i = 0; i < 10; i++) {
            lostHolds.add(new Thread("ended"), "lock", 1, LossCause.GONE);
        }
        long until = System.nanoTime() + PATIENCE.toNanos();
        do {
            assertThat(System.nanoTime() - until).as("time is left").isNegative();
            System.gc();
            Thread.onSpinWait();
            lostHolds.add(current, "lock", 1, LossCause.GONE);
        } while (lostHolds.threads() > 1);
    }
}
