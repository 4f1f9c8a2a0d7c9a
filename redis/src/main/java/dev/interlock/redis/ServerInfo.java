// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The parsed reply of a server to {@code INFO}. Fields that the server does not send, or not in the format of Redis,
 * are empty.
 *
 * @param runId the name of the process, which no other one ever had
 * @param version the version of Redis that it is, or is compatible with, such as {@code 7.0.15}
 * @param mode {@code standalone}, {@code cluster} or {@code sentinel}
 * @param primary the server that a replica copies, as {@code host:port}; empty for a primary
 * @param evicts the policy by which it may delete keys that have a time to live; empty if it does not
 * @param uptime for how long the process has run, give or take a second
 * @param clock what its clock shows
 */
public record ServerInfo(
        Optional<String> runId,
        Optional<String> version,
        Optional<String> mode,
        Optional<String> primary,
        Optional<String> evicts,
        Optional<Duration> uptime,
        Optional<Instant> clock) {

    /** The command {@code INFO} with all sections, since servers before 7.0 accept no list of sections. */
    public static final RedisCommand COMMAND = RedisCommand.of("INFO");

    private static final int MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    /**
     * Reads a reply.
     *
     * @param reply what the server has said
     * @return what it says
     */
    public static ServerInfo read(String reply) {
        boolean limited =
                field(reply, "maxmemory").filter(max -> !max.equals("0")).isPresent();
        Optional<String> host = field(reply, "role")
                .filter(role -> role.equals("slave"))
                .map(role -> field(reply, "master_host").orElse("?"));
        return new ServerInfo(
                field(reply, "run_id"),
                field(reply, "redis_version"),
                field(reply, "redis_mode"),
                host.map(it -> it + ":" + field(reply, "master_port").orElse("?")),
                field(reply, "maxmemory_policy").filter(policy -> limited && !policy.equals("noeviction")),
                number(reply, "uptime_in_seconds").map(Duration::ofSeconds),
                number(reply, "server_time_usec")
                        .map(micros -> Instant.ofEpochSecond(
                                micros / MICROS_PER_SECOND, micros % MICROS_PER_SECOND * NANOS_PER_MICRO)));
    }

    private static Optional<String> field(String reply, String name) {
        return reply.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .filter(value -> Pattern.matches("[\\w.:\\[\\]-]{1,128}", value))
                .findFirst();
    }

    private static Optional<Long> number(String reply, String name) {
        return field(reply, name).filter(value -> value.matches("\\d{1,17}")).map(Long::valueOf);
    }

    /**
     * Returns the first number of the version.
     *
     * @return {@code 7} for {@code 7.0.15}
     */
    public OptionalInt majorVersion() {
        return version.map(it -> it.split("\\.", 2)[0])
                .filter(major -> major.matches("\\d{1,6}"))
                .map(major -> OptionalInt.of(Integer.parseInt(major)))
                .orElse(OptionalInt.empty());
    }
}
