// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.setnxpx.ScriptedConditions.Sighting;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a waiter concludes from what it has seen of a holder. Times are in seconds. */
class SightingTest {
    private static final long LEASE = 30;

    private static Sighting first(long now, long end) {
        return Sighting.first("holder", seconds(now), seconds(end));
    }

    private static Sighting again(Sighting before, long now, long end) {
        return before.again(seconds(now), seconds(end));
    }

    private static boolean isExpired(Sighting sighting, long now) {
        return sighting.isExpired(seconds(now));
    }

    /** On a clock that is less than zero soon after the beginning, as one may be. */
    private static long seconds(long time) {
        return Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5) + TimeUnit.SECONDS.toNanos(time);
    }

    @Test
    void aHolderThatDidNotRenewAndIsGoneAfterItsLeaseHasLetItEnd() {
        Sighting seen = first(1, LEASE);
        for (int now = 4; now < LEASE; now += 3) {
            seen = again(seen, now, LEASE);
            assertThat(isExpired(seen, now)).as("at %s s", now).isFalse();
        }
        assertThat(isExpired(seen, LEASE - 1)).as("before the end").isFalse();
        assertThat(isExpired(seen, LEASE)).isTrue();
        assertThat(isExpired(seen, LEASE + 3)).isTrue();
    }

    @Test
    void aHolderThatRenewedMayHaveReleased() {
        Sighting seen = first(1, LEASE);
        // It renews after each third of its lease, and waiters see it every three seconds.
        for (int now = 4; now < 10 * LEASE; now += 3) {
            seen = again(seen, now, now / 10 * 10 + LEASE);
            assertThat(isExpired(seen, now + 2 * LEASE))
                    .as("last seen at %s s", now)
                    .isFalse();
        }
    }

    @Test
    void aHolderThatWasSeenOnceMayHaveReleased() {
        assertThat(isExpired(first(1, 2), 4)).isFalse();
    }

    @Test
    void aHolderOfAShortLeaseThatManyHaveSeenIsNotTakenForDead() {
        // It renews after a third of a lease of six seconds, and was seen all the time until then.
        Sighting seen = again(again(first(0, 6), 1, 6), 2, 6);
        assertThat(isExpired(seen, 6)).isFalse();
    }

    @Test
    void aReplyThatComesLateIsNoRenewal() {
        Sighting seen = first(0, LEASE);
        for (int now = 3; now <= 27; now += 3) {
            seen = again(seen, now, LEASE + now % 2);
        }
        assertThat(isExpired(seen, LEASE)).isTrue();
    }

    @Test
    void aLeaseThatServerAndClientMeasureALittleDifferentlyHasEndedAllTheSame() {
        Sighting seen = again(first(0, LEASE), 20, LEASE);
        long end = seconds(LEASE);
        assertThat(seen.isExpired(end - TimeUnit.MILLISECONDS.toNanos(100))).isFalse();
        assertThat(seen.isExpired(end - TimeUnit.MILLISECONDS.toNanos(10))).isTrue();
    }

    @Test
    void aWaiterThatLooksTwiceWithinMillisecondsSeesNoRenewal() {
        Sighting seen = again(first(0, LEASE), 20, LEASE);
        long milli = TimeUnit.MILLISECONDS.toNanos(1);
        seen = seen.again(seconds(20) + 4 * milli, seconds(LEASE) + 3 * milli);
        assertThat(isExpired(seen, LEASE)).isTrue();
    }
}
