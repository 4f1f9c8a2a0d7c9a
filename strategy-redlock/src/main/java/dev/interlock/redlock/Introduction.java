// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says about itself at the beginning of a connection.
 *
 * @param runId the name of the process, which no other one ever had; empty if it may not be asked
 * @param leastUptime for how long the process has run at the least
 * @param evicts the policy by which it may delete keys that have a time to live, if it may
 */
record Introduction(String runId, Duration leastUptime, Optional<String> evicts) {
    static final Introduction NONE = new Introduction("", Duration.ZERO, Optional.empty());

    private static final Pattern RUN_ID = Pattern.compile("(?m)^run_id:(\\w+)");
    private static final Pattern UPTIME = Pattern.compile("(?m)^uptime_in_seconds:(\\d{1,15})");
    private static final Pattern MAX_MEMORY = Pattern.compile("(?m)^maxmemory:(\\d{1,19})");
    private static final Pattern POLICY = Pattern.compile("(?m)^maxmemory_policy:([\\w-]+)");

    /**
     * Reads the sections {@code server} and {@code memory} of {@code INFO}.
     *
     * @throws IllegalArgumentException if what matters is not there
     */
    static Introduction read(String server, String memory) {
        String runId =
                find(RUN_ID, server).orElseThrow(() -> new IllegalArgumentException("INFO server shows no run_id"));
        long uptime = find(UPTIME, server)
                .map(Long::parseLong)
                .orElseThrow(() -> new IllegalArgumentException("INFO server shows no uptime_in_seconds"));
        boolean limited =
                find(MAX_MEMORY, memory).filter(max -> !max.equals("0")).isPresent();
        return new Introduction(
                runId,
                // The difference of two whole seconds, either of which may have just begun.
                Duration.ofSeconds(Math.max(0, uptime - 1)),
                find(POLICY, memory).filter(policy -> limited && !policy.equals("noeviction")));
    }

    private static Optional<String> find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}
