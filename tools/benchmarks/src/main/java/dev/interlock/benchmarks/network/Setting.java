// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.tools.backends.Topology;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The servers and the network that candidates are measured with.
 *
 * @param topology how the servers belong together
 * @param roundTrip the round trip that the network adds, or {@code null} where clients reach the servers without a
 *     proxy
 */
public record Setting(Topology topology, @Nullable Duration roundTrip) {
    /** Servers that do not know each other, on the loopback interface. */
    public static final Setting PLAIN = new Setting(Topology.SINGLE_SERVERS, null);

    private static final int NANO_DIGITS_OF_MILLI = 6;

    /** The round trip as the user writes it, or {@code loopback}. */
    public String network() {
        return roundTrip == null ? "loopback" : millis(roundTrip);
    }

    /** Returns the name of this setting beside others. */
    public String label() {
        List<String> parts = new ArrayList<>();
        if (topology != Topology.SINGLE_SERVERS) {
            parts.add(topology.id());
        }
        if (roundTrip != null || parts.isEmpty()) {
            parts.add(roundTrip == null ? network() : "rtt " + network());
        }
        return String.join(", ", parts);
    }

    /** Returns a time as text such as {@code 0.2ms}. */
    static String millis(Duration time) {
        BigDecimal millis = BigDecimal.valueOf(time.toNanos(), NANO_DIGITS_OF_MILLI);
        return (millis.signum() == 0 ? BigDecimal.ZERO : millis.stripTrailingZeros()).toPlainString() + "ms";
    }
}
