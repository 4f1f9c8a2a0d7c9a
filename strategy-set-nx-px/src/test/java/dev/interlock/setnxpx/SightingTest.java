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

    private static long seconds(long time) {
        return TimeUnit.SECONDS.toMicros(time);
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
    void aRequestThatIsCarriedOutLateShowsTheSameEnd() {
        // As the server tells what is left, and when, all at the same moment.
        Sighting seen = again(again(first(1, LEASE), 9, LEASE), 10, LEASE);
        assertThat(isExpired(again(seen, 16, LEASE), LEASE)).isTrue();
    }

    @Test
    void aWaiterWhoseMachineStoodStillSinceItLookedSeesThatTheLeaseHasEnded() {
        assertThat(isExpired(again(first(1, LEASE), 22, LEASE), 10 * LEASE)).isTrue();
    }

    @Test
    void anEndThatIsAMillisecondLaterIsNoRenewal() {
        long milli = TimeUnit.MILLISECONDS.toMicros(1);
        Sighting seen = again(first(0, LEASE), 20, LEASE);
        seen = seen.again(seconds(20) + 4 * milli, seconds(LEASE) + milli);
        assertThat(isExpired(seen, LEASE)).isTrue();
        assertThat(seen.isExpired(seconds(LEASE) - 100 * milli)).isFalse();
    }

    @Test
    void aRenewalAfterATenthOfASecondIsOne() {
        long tenth = TimeUnit.MILLISECONDS.toMicros(100);
        Sighting seen = again(first(0, LEASE), 20, LEASE);
        seen = seen.again(seconds(20) + tenth, seconds(LEASE) + tenth);
        assertThat(isExpired(seen, LEASE + 1)).isFalse();
    }
}
