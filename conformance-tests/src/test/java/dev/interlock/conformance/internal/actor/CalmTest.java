// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CalmTest {
    private static final long START = 1_000;
    private static final long STALL = Calm.STALL.toNanos();

    private final Calm.Watch watch = new Calm.Watch(START);

    private boolean isBroken(long sinceNanos, long nowNanos) {
        return watch.isBroken(sinceNanos, () -> nowNanos);
    }

    @Test
    void aThreadThatRunsOftenEnoughIsCalm() {
        watch.runs(START + STALL);
        assertThat(isBroken(START, START + 2 * STALL)).isFalse();
    }

    @Test
    void aStallIsSeenByTheWatchingThread() {
        long end = START + STALL + 1;
        watch.runs(end);
        watch.runs(end + 1);
        assertThat(isBroken(START, end + 1)).isTrue();
    }

    @Test
    void aStallIsSeenByWhoeverAsksBeforeTheWatchingThreadRunsAgain() {
        assertThat(isBroken(START, START + STALL + 1)).isTrue();
    }

    @Test
    void aStallIsSeenIfTheWatchingThreadRunsWhileSomebodyAsks() {
        long end = START + STALL + 1;
        boolean broken = watch.isBroken(START, () -> {
            watch.runs(end);
            return end;
        });
        assertThat(broken).isTrue();
    }

    @Test
    void aStallBeforeTheRuleDoesNotCount() {
        long end = START + STALL + 1;
        watch.runs(end);
        assertThat(isBroken(end, end + 1)).isFalse();
    }
}
