// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.EmbeddedBackend;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fresh servers for one measurement of a candidate, with its clients and with what the servers say. */
final class Testbed implements AutoCloseable {
    private static final Pattern CPU = Pattern.compile("(?m)^used_cpu_(?:sys|user):(\\S+)");

    private final Candidate candidate;
    private final EmbeddedBackend backend;
    private final List<LockClient> clients = new ArrayList<>();

    private Testbed(Candidate candidate, EmbeddedBackend backend) {
        this.candidate = candidate;
        this.backend = backend;
    }

    static Testbed open(Candidate candidate) {
        return new Testbed(candidate, EmbeddedBackend.start(candidate.servers()));
    }

    /** Who is on it. */
    Candidate candidate() {
        return candidate;
    }

    List<URI> endpoints() {
        return backend.servers().stream()
                .map(server -> URI.create(server.uri()))
                .toList();
    }

    /** Opens a client, which {@link #closeClients} or {@link #close} closes. */
    LockClient client(Terms terms) {
        LockClient client = candidate.open(endpoints(), terms);
        clients.add(client);
        return client;
    }

    /** The processor time of all servers. */
    double cpuSeconds() {
        return sum(server -> {
            Matcher seconds = CPU.matcher(String.valueOf(server.command("INFO", "cpu")));
            return seconds.results()
                    .mapToDouble(part -> Double.parseDouble(part.group(1)))
                    .sum();
        });
    }

    /** How many commands all servers have carried out, those in scripts included. */
    double commandsCarriedOut() {
        return sum(server -> {
            Map<String, Long> calls = server.commandStats();
            calls.remove("info");
            return total(calls.values());
        });
    }

    private static long total(Collection<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    /** How many commands clients send to all servers during some work; the servers are slowed down by it. */
    long commandsSent(Runnable work) {
        return backend.commands(work);
    }

    /** The number of keys on the first server. */
    long keys() {
        return (Long) Objects.requireNonNull(backend.servers().get(0).command("DBSIZE"));
    }

    private double sum(ToDoubleFunction<RedisServer> figure) {
        return backend.servers().stream().mapToDouble(figure).sum();
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
            backend.close();
        }
    }
}
