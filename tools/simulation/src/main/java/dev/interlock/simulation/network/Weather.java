// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.simulation.time.VirtualTime;
import java.util.Random;

/** How long messages of one client take. */
final class Weather {
    private static final int BASE_NANOS = 100_000;
    private static final int SPREAD_NANOS = 400_000;

    private final VirtualTime time;
    private final Random random;
    private final Happenings happenings;
    private long slowUntil;
    private long slowNanos;

    Weather(VirtualTime time, long seed, Happenings happenings) {
        this.time = time;
        this.random = new Random(seed);
        this.happenings = happenings;
    }

    /** Lets messages take up to some time longer for a while. */
    void slow(long nanos, long most) {
        slowUntil = time.now() + nanos;
        slowNanos = most;
    }

    long delay() {
        long delay = (long) BASE_NANOS + random.nextInt(SPREAD_NANOS);
        if (time.now() < slowUntil) {
            happenings.bit("delay");
            delay += Math.floorMod(random.nextLong(), slowNanos);
        }
        return delay;
    }

    int oneOf(int count) {
        return random.nextInt(count);
    }
}
