// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rules that succeed at a later try, as on a machine that stood still. */
public abstract class TroubledRules extends TimedWaitRules {
    @Test
    void rule_0_1_getsItsGrantsAtTheThirdTry() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        granted(() -> {
            if (tries.incrementAndGet() < 3) {
                throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "too late");
            }
            return null;
        });
    }

    @Test
    void rule_0_2_isFastEnoughAtTheSecondTry() {
        AtomicInteger tries = new AtomicInteger();
        assertOnceWithin(
                Duration.ofSeconds(1), "a call", () -> Duration.ofSeconds(tries.incrementAndGet() == 1 ? 2 : 0));
    }

    @Test
    void rule_0_3_needsOneTry() {
        inCalm(again -> {});
    }

    @Test
    void rule_0_4_holdsWithTheLongLease() {
        withLease(
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                (again, time) -> assertThat(time).isEqualTo(Duration.ofSeconds(5)));
    }
}
