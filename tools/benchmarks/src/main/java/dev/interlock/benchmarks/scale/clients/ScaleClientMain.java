// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Opener;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.ClientCost;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.tools.backends.Messages;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One client of a measurement, in a JVM of its own that carries out the orders of {@link ScaleClient}. */
public final class ScaleClientMain {
    private static final String LIST = ",";

    private final HeldNames held;
    private final WaitingThreads waiting;
    private final PairLoop loop;

    private ScaleClientMain(LockClient client) {
        held = new HeldNames(client);
        waiting = new WaitingThreads(client);
        loop = new PairLoop(client);
    }

    static List<String> arguments(Opener opener, List<URI> endpoints, Duration lease, Map<String, String> options) {
        List<String> arguments = new ArrayList<>();
        arguments.add(opener.getClass().getName());
        arguments.add(String.join(LIST, endpoints.stream().map(URI::toString).toList()));
        arguments.add(Long.toString(lease.toMillis()));
        options.forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    public static void main(String[] arguments) throws Exception {
        Opener opener = Class.forName(arguments[0])
                .asSubclass(Opener.class)
                .getDeclaredConstructor()
                .newInstance();
        List<URI> endpoints =
                Stream.of(arguments[1].split(LIST, -1)).map(URI::create).toList();
        Terms terms = Terms.held(Duration.ofMillis(Long.parseLong(arguments[2])));
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 3; i < arguments.length; i++) {
            String[] option = arguments[i].split("=", 2);
            options.put(option[0], option[1]);
        }
        ParentJvm parent = ParentJvm.ofThisProcess();
        // Closing the client is left out on purpose: the parent ends this JVM when it has its figures.
        ScaleClientMain program = new ScaleClientMain(opener.open(endpoints, terms, options));
        parent.say(new ClientReply().toString());
        program.obey(parent);
    }

    private void obey(ParentJvm parent) throws IOException {
        while (true) {
            String order = parent.nextLine();
            ClientReply reply;
            try {
                reply = carryOut(order.split(" ", -1));
            } catch (InterruptedException | RuntimeException | Error e) {
                reply = ClientReply.failed(Messages.of(e));
            }
            parent.say(reply.toString());
        }
    }

    private ClientReply carryOut(String[] order) throws InterruptedException {
        switch (order[0]) {
            case "figures":
                return figures();
            case "heap":
                return heap();
            case "hold":
                return held.acquire(order[1], Integer.parseInt(order[2]));
            case "release":
                return held.release(Duration.ofNanos(Long.parseLong(order[1])));
            case "wait":
                return waiting.start(order[1], Integer.parseInt(order[2]), Boolean.parseBoolean(order[3]));
            case "acquired":
                return waiting.awaitAll();
            case "pairs":
                return loop.run(order[1], Duration.ofNanos(Long.parseLong(order[2])), Boolean.parseBoolean(order[3]));
            default:
                throw new IllegalArgumentException("unknown order " + order[0]);
        }
    }

    private static ClientReply figures() {
        return new ClientReply()
                .put("cpu", ClientCost.cpuSeconds())
                .put("threads", ManagementFactory.getThreadMXBean().getThreadCount());
    }

    /** Collects the heap once only: several collections of a large heap would stop renewals for longer than a lease. */
    private static ClientReply heap() {
        System.gc();
        return new ClientReply().put("heap", (double)
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
}
