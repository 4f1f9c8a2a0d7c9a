// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redis.ServerInfo;
import java.time.Duration;

/**
 * What a server says about its process at the beginning of a connection.
 *
 * @param runId the name of the process, which no other one ever had; empty if it may not be asked
 * @param leastUptime for how long the process has run at the least
 */
record Introduction(String runId, Duration leastUptime) {
    static final Introduction NONE = new Introduction("", Duration.ZERO);

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    /**
     * Takes from what a server says about itself what matters here.
     *
     * @throws IllegalArgumentException if it is not there
     */
    static Introduction of(ServerInfo info) {
        String runId = info.runId().orElseThrow(() -> new IllegalArgumentException("INFO shows no run_id"));
        Duration uptime =
                info.uptime().orElseThrow(() -> new IllegalArgumentException("INFO shows no uptime_in_seconds"));
        // The difference of two whole seconds, either of which may have just begun.
        return new Introduction(runId, uptime.isZero() ? uptime : uptime.minus(ONE_SECOND));
    }
}
