// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.network.MeasuredServers;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Fresh servers for one measurement of a candidate, its clients, and the figures of the servers. */
final class Testbed implements AutoCloseable {
    /** The commands that ask for these figures, and those between servers. */
    private static final Set<String> NOT_FOR_LOCKS = Set.of("info", "ping", "replconf");

    private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro");

    private static final Pattern CPU = Pattern.compile("(?m)^used_cpu_(?:sys|user):(\\S+)");

    private static final Pattern CLIENT = Pattern.compile("(?m)^id=\\d+ addr=(\\S+)");

    private final Candidate candidate;
    private final Setting setting;
    private final MeasuredServers servers;
    private final List<LockClient> clients = new ArrayList<>();

    private Testbed(Candidate candidate, Setting setting, MeasuredServers servers) {
        this.candidate = candidate;
        this.setting = setting;
        this.servers = servers;
    }

    static Testbed open(Candidate candidate, Setting setting, Network network) {
        return new Testbed(candidate, setting, network.start(setting, candidate.servers()));
    }

    /** Returns the candidate. */
    Candidate candidate() {
        return candidate;
    }

    List<URI> endpoints() {
        return servers.endpoints();
    }

    /** Returns the time that the network adds to a round trip. */
    Duration roundTrip() {
        return Objects.requireNonNullElse(setting.roundTrip(), Duration.ZERO);
    }

    /** Returns the last of the servers to which clients send commands about locks. */
    RedisServer lastServer() {
        return servers.primaries().get(servers.primaries().size() - 1);
    }

    /** Opens a client, which {@link #closeClients} or {@link #close} closes. */
    LockClient client(Terms terms) {
        LockClient client = candidate.open(endpoints(), terms);
        clients.add(client);
        return client;
    }

    /** Returns the processor time of all servers that have data, in seconds. */
    double cpuSeconds() {
        return sum(servers.all(), server -> {
            Matcher seconds = CPU.matcher(String.valueOf(server.command("INFO", "cpu")));
            return seconds.results()
                    .mapToDouble(part -> Double.parseDouble(part.group(1)))
                    .sum();
        });
    }

    /** How many commands all primaries have carried out, those in scripts included. */
    double commandsCarriedOut() {
        return sum(servers.primaries(), server -> {
            Map<String, Long> calls = server.commandStats();
            calls.keySet().removeAll(NOT_FOR_LOCKS);
            return total(calls.values());
        });
    }

    /** How many scripts all primaries have run. */
    double scriptsRun() {
        return sum(servers.primaries(), server -> {
            Map<String, Long> calls = server.commandStats();
            calls.keySet().retainAll(SCRIPTS);
            return total(calls.values());
        });
    }

    private static long total(Collection<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    /** How many commands clients send to all primaries during some work; the servers are slowed down by it. */
    long commandsSent(Runnable work) {
        return EmbeddedBackend.commandsSentTo(servers.primaries(), work);
    }

    /** The addresses of the clients of each primary. */
    List<Set<String>> clientAddresses() {
        return servers.primaries().stream()
                .map(server -> CLIENT.matcher(String.valueOf(server.command("CLIENT", "LIST")))
                        .results()
                        .map(client -> client.group(1))
                        .collect(Collectors.toSet()))
                .toList();
    }

    /** How many commands each client sends to each primary during some work; the servers are slowed down by it. */
    List<Map<String, Long>> commandsByClient(Runnable work) {
        return EmbeddedBackend.commandsByClient(servers.primaries(), work);
    }

    /** The number of keys on the first server, which has what the others have, or in the whole cluster. */
    long keys() {
        List<RedisServer> having = setting.topology() == Topology.CLUSTER
                ? servers.primaries()
                : servers.primaries().subList(0, 1);
        return (long) sum(having, server -> (Long) Objects.requireNonNull(server.command("DBSIZE")));
    }

    private static double sum(List<RedisServer> servers, ToDoubleFunction<RedisServer> figure) {
        return servers.stream().mapToDouble(figure).sum();
    }

    void closeClients() {
        List<LockClient> open = List.copyOf(clients);
        clients.clear();
        closeAll(open.iterator());
    }

    /** Closes all, even if one fails. */
    private static void closeAll(Iterator<LockClient> open) {
        if (open.hasNext()) {
            LockClient client = open.next();
            try (client) {
                closeAll(open);
            }
        }
    }

    @Override
    public void close() {
        try {
            closeClients();
        } finally {
            servers.close();
        }
    }
}
