// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.testservers.RedisServer;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The counters of the primaries at one moment, in sum.
 *
 * @param seconds the time by this JVM's monotonic clock
 * @param cpuSeconds the processor time that they have used
 * @param commands how many commands they have carried out, those in scripts included
 * @param extensions how many of these were {@code PEXPIRE}, of which most strategies need one for each renewal
 * @param bytes the memory that they have allocated
 * @param connections how many clients are connected
 */
record ServerReading(
        double seconds, double cpuSeconds, double commands, double extensions, double bytes, double connections) {
    /** The commands that ask for these figures, and those between servers. */
    private static final Set<String> NOT_FOR_LOCKS = Set.of("info", "ping", "replconf");

    static ServerReading of(Collection<RedisServer> servers) {
        double cpu = 0;
        double commands = 0;
        double extensions = 0;
        double bytes = 0;
        double connections = 0;
        for (RedisServer server : servers) {
            cpu += sum(server, "cpu", "used_cpu_(?:sys|user)");
            bytes += sum(server, "memory", "used_memory");
            connections += sum(server, "clients", "connected_clients");
            Map<String, Long> calls = server.commandStats();
            calls.keySet().removeAll(NOT_FOR_LOCKS);
            extensions += calls.getOrDefault("pexpire", 0L);
            commands += calls.values().stream().mapToLong(Long::longValue).sum();
        }
        return new ServerReading(System.nanoTime() / 1e9, cpu, commands, extensions, bytes, connections);
    }

    private static double sum(RedisServer server, String section, String field) {
        Matcher values = Pattern.compile("(?m)^" + field + ":([0-9.]+)")
                .matcher(String.valueOf(server.command("INFO", section)));
        return values.results()
                .mapToDouble(value -> Double.parseDouble(value.group(1)))
                .sum();
    }

    /** Returns what has changed since an earlier reading. */
    ServerReading since(ServerReading earlier) {
        return new ServerReading(
                seconds - earlier.seconds,
                cpuSeconds - earlier.cpuSeconds,
                commands - earlier.commands,
                extensions - earlier.extensions,
                bytes - earlier.bytes,
                connections - earlier.connections);
    }

    /** Returns the processor time of a difference, less that of idle servers, in microseconds. */
    double microsAbove(double idleShare) {
        return Math.max(0, cpuSeconds - seconds * idleShare) * 1e6;
    }
}
