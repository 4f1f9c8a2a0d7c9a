// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import dev.interlock.LockConfig;
import dev.interlock.spi.StrategyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long to wait for single nodes, such as one in another region.
 *
 * @param byAddress the time-outs by host and port
 */
public record NodeTimeouts(Map<String, Duration> byAddress) {
    /** The option that contains the time-outs. */
    public static final StrategyOption OPTION = new StrategyOption(
            "node-timeouts",
            "none",
            "node-timeout for single servers, as host:port=time with commas between them, such as c.example.com:6379=300ms");

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Pattern ENTRY = Pattern.compile("(\\S+:\\d{1,5})\\s*=\\s*(.+)");

    /**
     * Creates time-outs.
     *
     * @param byAddress the time-outs by host and port
     */
    public NodeTimeouts {
        byAddress = Map.copyOf(byAddress);
    }

    /**
     * Reads the option of a configuration.
     *
     * @param config the configuration
     * @return the time-outs; none if the option is not given
     * @throws IllegalArgumentException if it makes no sense; the message says why
     */
    public static NodeTimeouts read(LockConfig config) {
        String text = config.option(OPTION.name()).orElse(OPTION.defaultValue()).strip();
        Map<String, Duration> timeouts = new HashMap<>();
        if (!text.equalsIgnoreCase(OPTION.defaultValue())) {
            for (String entry : text.split(",", -1)) {
                Matcher matcher = ENTRY.matcher(entry.strip());
                if (!matcher.matches()) {
                    throw new IllegalArgumentException("option " + OPTION.name() + " has the entry \"" + entry.strip()
                            + "\": write host:port=time, such as c.example.com:6379=300ms, and a comma between two");
                }
                Duration timeout = new StrategyOption(OPTION.name(), matcher.group(2), OPTION.description())
                        .duration(LockConfig.builder().build(), SHORTEST, LONGEST);
                if (timeouts.put(matcher.group(1), timeout) != null) {
                    throw new IllegalArgumentException(
                            "option " + OPTION.name() + " names " + matcher.group(1) + " twice: name it once");
                }
            }
        }
        return new NodeTimeouts(timeouts);
    }

    /**
     * Returns the time-out of a node.
     *
     * @param address its host and port
     * @return the time-out, or empty if it has none of its own
     */
    public Optional<Duration> of(String address) {
        return Optional.ofNullable(byAddress.get(address));
    }
}
