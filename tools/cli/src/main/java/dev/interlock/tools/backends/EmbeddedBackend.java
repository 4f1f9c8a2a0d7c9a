// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Servers of our own on the loopback interface, which keep nothing on disk and end with this object or the JVM. */
public final class EmbeddedBackend implements Backend {
    private final List<RedisServer> servers = new ArrayList<>();

    private EmbeddedBackend() {}

    /**
     * Starts servers.
     *
     * @param servers how many
     * @return the servers, which the caller must close
     */
    public static EmbeddedBackend start(int servers) {
        EmbeddedBackend backend = new EmbeddedBackend();
        try {
            for (int i = 0; i < servers; i++) {
                backend.servers.add(RedisServer.start());
            }
            return backend;
        } catch (RuntimeException e) {
            backend.close();
            throw e;
        }
    }

    /**
     * Returns the servers themselves.
     *
     * @return the servers
     */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    @Override
    public String endpoints() {
        return servers.stream().map(RedisServer::uri).collect(Collectors.joining(","));
    }

    @Override
    public String redisVersion() {
        try (PlainClient client =
                new PlainClient(RedisEndpoint.parse(servers.get(0).uri()))) {
            return client.redisVersion();
        }
    }

    @Override
    public long commands(Runnable work) {
        return commandsSentTo(servers, work);
    }

    /**
     * Counts the commands that clients send to some servers while work is done.
     *
     * @param servers the servers, which are slowed down by it
     * @param work the work
     * @return how many there were
     */
    public static long commandsSentTo(List<RedisServer> servers, Runnable work) {
        return commandsByClient(servers, work).stream()
                .flatMap(numbers -> numbers.values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    /**
     * Counts the commands that clients send to some servers over each connection while work is done.
     *
     * @param servers the servers, which are slowed down by it
     * @param work the work
     * @return the numbers by the client's address, for each server
     */
    public static List<Map<String, Long>> commandsByClient(List<RedisServer> servers, Runnable work) {
        List<CommandMonitor> monitors = new ArrayList<>();
        try {
            servers.forEach(server -> monitors.add(server.monitor()));
            work.run();
            return monitors.stream().map(CommandMonitor::numbersByClient).toList();
        } finally {
            monitors.forEach(CommandMonitor::close);
        }
    }

    @Override
    public OptionalLong keyMemory() {
        long sum = 0;
        for (RedisServer server : servers) {
            try (PlainClient client = new PlainClient(RedisEndpoint.parse(server.uri()))) {
                sum += client.keyMemory();
            }
        }
        return OptionalLong.of(sum);
    }

    @Override
    public Counting counting() {
        return Counting.MONITOR;
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
