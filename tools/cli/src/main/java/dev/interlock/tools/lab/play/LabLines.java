// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.Closing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A proxy, called a line, from each client to each of several servers that redirect clients to each other. A client is
 * redirected to its own lines only, since these replace the servers' ports by their own. Used by one thread.
 */
final class LabLines implements AutoCloseable {
    private final List<RedisServer> servers;
    private final Map<String, Map<RedisServer, FaultProxy>> byClient = new HashMap<>();

    LabLines(List<RedisServer> servers) {
        this.servers = List.copyOf(servers);
    }

    /** Returns the line from a client to a server. */
    FaultProxy line(String client, RedisServer server) {
        return Objects.requireNonNull(
                byClient.computeIfAbsent(client, it -> open()).get(server), "one of these servers");
    }

    private Map<RedisServer, FaultProxy> open() {
        Map<RedisServer, FaultProxy> lines = new LinkedHashMap<>();
        servers.forEach(server -> lines.put(server, FaultProxy.to(server)));
        Map<Integer, Integer> ports = new HashMap<>();
        lines.forEach((server, line) -> ports.put(server.port(), line.port()));
        lines.values().forEach(line -> line.translate(ports));
        return lines;
    }

    /** Returns where a client finds some of the servers: hosts and ports, with commas between. */
    String addresses(String client, List<RedisServer> of) {
        return of.stream()
                .map(server -> "127.0.0.1:" + line(client, server).port())
                .collect(Collectors.joining(","));
    }

    /** Refuses the connections of all clients, as the port of a server that has ended does. */
    void refuse(RedisServer ended) {
        byClient.keySet().forEach(client -> line(client, ended).refuse());
    }

    /** Cuts a client off from all servers but one: nothing is passed on any more. */
    void cutFromAllBut(RedisServer reachable, String client) {
        servers.stream()
                .filter(server -> server != reachable)
                .forEach(server -> line(client, server).blackhole());
    }

    @Override
    public void close() {
        List<AutoCloseable> lines = new ArrayList<>();
        byClient.values().forEach(each -> lines.addAll(each.values()));
        Closing.all(lines);
    }
}
