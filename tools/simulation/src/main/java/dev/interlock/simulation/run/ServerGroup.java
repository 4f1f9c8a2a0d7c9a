// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.simulation.network.SimulatedServer;
import dev.interlock.simulation.network.SimulationObserver;
import dev.interlock.simulation.plan.FaultKind;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.plan.Step;
import dev.interlock.simulation.server.Flavour;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import dev.interlock.spi.Assumption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers of a world: one, or several that are independent of each other. */
final class ServerGroup implements AutoCloseable {
    /** One in so many seeds begins with several servers that nobody has watched yet. */
    private static final int COLD_SEEDS = 8;

    private static final int SKEW_MILLIS = 5_000;
    private static final int CLOSE_SKEW_MILLIS = 1_000;

    private final Plan plan;
    private final Setup setup;
    private final VirtualTime time;
    private final SimulationObserver observer;
    private final UnaryOperator<String> key;
    private final List<Host> all = new ArrayList<>();

    /** How many servers those clients name that name the right ones. */
    private final int right;

    private @Nullable SimulatedServer nowhere;

    /** A server, and the machine with its clock. */
    record Host(VirtualMachine machine, SimulatedServer server) {}

    ServerGroup(Plan plan, Setup setup, VirtualTime time, Random random, SimulationObserver observer) {
        this.plan = plan;
        this.setup = setup;
        this.time = time;
        this.observer = observer;
        this.key = setup.strategy()::key;
        this.right = setup.strategy().servers(plan.seed());
        boolean remember = plan.steps().stream()
                .anyMatch(step -> step instanceof Step.Fault fault
                        && (fault.kind().goesBack() || (areSeveral() && fault.kind() == FaultKind.FAILOVER)));
        boolean others = plan.faults(FaultKind.OTHER_SERVERS).findAny().isPresent();
        for (String name : names(others ? 2 * right : right)) {
            all.add(newHost(name, random, remember));
        }
        joining().ifPresent(name -> all.add(newHost(name, new Random(~plan.seed()), remember)));
    }

    private Host newHost(String name, Random random, boolean remembers) {
        long seed = random.nextLong();
        VirtualMachine machine = new VirtualMachine(name, time, seed, World.rate(random));
        if (areSeveral()) {
            machine.stepWallClock(skew(seed));
        }
        Flavour flavour = random.nextBoolean() ? Flavour.REDIS_7 : Flavour.VALKEY_9;
        return new Host(
                machine,
                new SimulatedServer(time, machine, flavour, setup.mutant(), remembers, setup.coverage(), observer));
    }

    /** What servers are called. */
    static List<String> names(int count) {
        return count == 1
                ? List.of("server")
                : IntStream.range(0, count).mapToObj(i -> "server-" + i).toList();
    }

    /** By how much the wall clock of a machine differs from the world's when a simulation begins, in ms. */
    long skew(long seed) {
        int most = areSeveral() && plan.beginsWithCloseClocks() ? CLOSE_SKEW_MILLIS : SKEW_MILLIS;
        return (long) Math.floorMod(seed, 2 * most + 1) - most;
    }

    /**
     * Returns whether several servers vote. Then a lock that is given back may go to the next holder under the same
     * token.
     */
    boolean areSeveral() {
        return right > 1;
    }

    /** Returns whether a replica that takes over may lack leases. */
    boolean mayForget() {
        return areSeveral()
                && (!setup.assumes(Assumption.RESTART_KEEPS_DATA)
                        || plan.dropped().contains(Assumption.RESTART_KEEPS_DATA));
    }

    /** Returns whether clients have watched the servers before the plan begins, so that all of them vote. */
    boolean areWatched() {
        return Math.floorMod(plan.seed(), COLD_SEEDS) != 0;
    }

    List<Host> all() {
        return all;
    }

    /** Returns the server of a name; where there is none, one that never answers. */
    SimulatedServer get(String name) {
        return all.stream()
                .map(Host::server)
                .filter(server -> server.name().equals(name))
                .findFirst()
                .orElseGet(this::nowhere);
    }

    private SimulatedServer nowhere() {
        SimulatedServer found = nowhere;
        if (found == null) {
            VirtualMachine machine = new VirtualMachine("nowhere", time, plan.seed(), 1);
            found = new SimulatedServer(time, machine, Flavour.REDIS_7, setup.mutant(), false, null, observer);
            found.lose();
            nowhere = found;
        }
        return found;
    }

    /** Returns the server that joins the list in this plan, if one does. */
    private Optional<String> joining() {
        return plan.change().filter(change -> change.kind().joins()).map(change -> "server-" + right);
    }

    /** Returns the server that leaves the list in this plan, if one does. */
    private Optional<String> leaving() {
        return plan.change()
                .filter(change -> change.kind().leaves())
                .map(change -> names(right).get(change.chosen() % right));
    }

    /** Returns the order to change the list. Whoever gives it knows which servers have ended for good. */
    Strategies.Order order() {
        return new Strategies.Order(
                leaving(),
                joining(),
                all.stream()
                        .map(Host::server)
                        .filter(SimulatedServer::isLost)
                        .map(SimulatedServer::name)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /** The list has changed: in half of the plans, the server that has left ends for good. */
    void listHasChanged() {
        boolean ends =
                plan.change().map(change -> (change.chosen() >> 8) % 2 == 0).orElse(false);
        if (ends) {
            leaving().map(this::get).ifPresent(SimulatedServer::lose);
        }
    }

    /** The servers that an operator names. */
    List<String> namedByOperator() {
        return names(right);
    }

    /** The servers that a client names: all the same ones, unless the plan says otherwise. */
    List<String> namedBy(int client) {
        if (plan.change().filter(change -> change.newcomer() == client).isPresent()) {
            List<String> next = new ArrayList<>(names(right));
            leaving().ifPresent(next::remove);
            joining().ifPresent(next::add);
            return next;
        }
        List<String> names = names(all.size());
        // They share one server with the right ones, or none.
        int first = others(client)
                .map(fault -> fault.amount() % 4 == 0 ? right - 1 : right)
                .orElse(0);
        return names.subList(first, first + right);
    }

    /** Returns the fault by which a client names other servers, if there is one. */
    Optional<Step.Fault> others(int client) {
        return plan.faults(FaultKind.OTHER_SERVERS)
                .filter(fault -> fault.client() == client)
                .findFirst();
    }

    /** The servers that a fault strikes, or to which the connections of its client lead. */
    List<Host> struckBy(Step.Fault fault) {
        int count = right + (joining().isPresent() ? 1 : 0);
        List<Host> voting = all.subList(0, count);
        int chosen = fault.amount() >> 8;
        if (fault.kind() == FaultKind.SERVER_LOST) {
            return List.of(voting.get(Math.floorMod(plan.seed(), right)));
        }
        if (fault.kind().breaks().isPresent()) {
            // A majority, so that any other one shares a server with it, or all.
            int spared = chosen % 2 == 0 ? 0 : (count - 1) / 2;
            return IntStream.range(0, count - spared)
                    .mapToObj(i -> voting.get((chosen + i) % count))
                    .toList();
        }
        if (fault.amount() % 2 == 0 || chosen % (1 << count) == 0) {
            return List.of(voting.get(chosen % count));
        }
        return IntStream.range(0, count)
                .filter(i -> ((chosen >> i) & 1) == 1)
                .mapToObj(voting::get)
                .toList();
    }

    /** Returns the value that the key of a lock has on most servers, or null if there is none. */
    @Nullable
    String word(String lock) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Host host : all.subList(0, right)) {
            if (host.server.peek(key.apply(lock)) instanceof String value) {
                counts.merge(value, 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .filter(count -> count.getValue() > right / 2)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether the next holder of a lock may have the same value in its key. */
    boolean wordsMayRepeat() {
        return areSeveral() || !setup.keysTellApart();
    }

    /** Returns whether any server that has not ended for good keeps a list of the servers that vote. */
    boolean keepList() {
        return all.stream()
                .map(Host::server)
                .filter(server -> !server.isLost())
                .anyMatch(server -> server.lives().keySet().stream().anyMatch(setup.strategy()::stays));
    }

    /** Returns the key of a lock that is there on any server. */
    Optional<String> heldKey() {
        return all.stream().flatMap(host -> heldKeys(host.server)).findFirst();
    }

    /** Returns the keys of locks that are there on a server. */
    Stream<String> heldKeys(SimulatedServer server) {
        Set<String> keys = server.lives().keySet();
        return Stream.concat(Stream.of("a", "b"), Plan.SEVERAL.stream())
                .map(key)
                .filter(keys::contains);
    }

    /** Returns the keys of the holders of read/write locks that are there on a server. */
    Stream<String> heldSides(SimulatedServer server) {
        return server.lives().keySet().stream().filter(name -> name.endsWith(":writer") || name.endsWith(":readers"));
    }

    @Override
    public void close() {
        all.forEach(host -> host.server.close());
        SimulatedServer absent = nowhere;
        if (absent != null) {
            absent.close();
        }
    }
}
