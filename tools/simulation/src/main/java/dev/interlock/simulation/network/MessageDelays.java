// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.simulation.time.VirtualTime;
import java.util.Random;

/** Draws the times that the messages of one client take. */
final class MessageDelays {
    private static final int BASE_NANOS = 100_000;
    private static final int SPREAD_NANOS = 400_000;

    private final VirtualTime time;
    private final Random random;
    private final SimulationObserver observer;
    private long slowUntil;
    private long slowNanos;

    MessageDelays(VirtualTime time, long seed, SimulationObserver observer) {
        this.time = time;
        this.random = new Random(seed);
        this.observer = observer;
    }

    /** Lets messages take up to some time longer for a while. */
    void slow(long nanos, long most) {
        slowUntil = time.now() + nanos;
        slowNanos = most;
    }

    /** Draws the time that the next message takes. */
    long delay() {
        long delay = (long) BASE_NANOS + random.nextInt(SPREAD_NANOS);
        if (time.now() < slowUntil) {
            observer.faultHadEffect("delay");
            delay += Math.floorMod(random.nextLong(), slowNanos);
        }
        return delay;
    }

    /** Draws a number from zero to below a bound. */
    int oneOf(int count) {
        return random.nextInt(count);
    }
}
