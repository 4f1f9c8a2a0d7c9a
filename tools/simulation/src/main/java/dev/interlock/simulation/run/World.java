// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.LockConfig;
import dev.interlock.simulation.network.Happenings;
import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.network.SimulatedServer;
import dev.interlock.simulation.server.Flavour;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import dev.interlock.spi.Assumption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of a plan: the clients, the server and the faults, on one virtual clock. */
final class World implements Happenings {
    private static final long SECOND = 1_000_000_000L;

    /** By when everything planned must be done, faults and all. */
    private static final long END = 180 * SECOND;

    /** The longest that a lock may stay with somebody who is dead: the longest lease, and what clocks differ. */
    private static final long GRACE = 5 * SECOND;

    /** By when nothing may be left on the server. */
    private static final long FORGOTTEN = 26 * 3600 * SECOND;

    private static final double SLOW = 0.8;

    /** How far wall clocks that agree may be from the world's, in ms. */
    private static final int AGREED_MILLIS = 100;

    private final Plan plan;
    private final Setup setup;
    private final VirtualTime time;
    private final VirtualMachine serverMachine;
    private final SimulatedServer server;
    private final Judge judge;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final Map<String, Integer> bitten = new TreeMap<>();
    private final List<String> trace = new ArrayList<>();
    private final boolean tracing;

    private World(Plan plan, Setup setup, boolean tracing) {
        this.plan = plan;
        this.setup = setup;
        this.tracing = tracing;
        Random random = new Random(plan.seed() ^ 0x5DEECE66DL);
        this.time = new VirtualTime(random.nextLong());
        this.judge =
                new Judge(setup.isFenced(), setup.wakes() && isFaultless(), time::now, what -> note("judge", what));
        this.serverMachine = new VirtualMachine("server", time, random.nextLong(), rate(random));
        boolean replicated = plan.steps().stream()
                .anyMatch(step -> step instanceof Step.Fault fault && fault.kind() == FaultKind.FAILOVER_LOSS);
        this.server = new SimulatedServer(
                time,
                serverMachine,
                random.nextBoolean() ? Flavour.REDIS_7 : Flavour.VALKEY_9,
                setup.mutant(),
                replicated,
                this);
        LockConfig.Builder options = LockConfig.builder()
                .commandTimeout(Duration.ofMillis(200 + random.nextInt(3) * 200L))
                .waitCeiling(Duration.ofMillis(500 + random.nextInt(3) * 500L));
        setup.options().forEach(options::option);
        LockConfig config = options.build();
        for (int i = 0; i < plan.clients() + 1; i++) {
            long seed = random.nextLong();
            double rate = isSlow(i) ? SLOW : rate(random);
            VirtualMachine machine = new VirtualMachine("client-" + i, time, seed, rate);
            if (setup.assumes(Assumption.CLIENT_CLOCKS_AGREE)) {
                machine.stepWallClock(Math.floorMod(seed, 2 * AGREED_MILLIS + 1) - AGREED_MILLIS);
            }
            SimulatedNode node = new SimulatedNode(time, machine, server, seed + 1, this);
            clients.add(new SimulatedClient(
                    this, machine, node, setup.strategy().newFactory(node, config, machine), judge));
        }
    }

    /** Clocks differ in rate by less than a hundredth. */
    private static double rate(Random random) {
        return 1 + (random.nextDouble() - 0.5) * 0.008;
    }

    private boolean isSlow(int client) {
        boolean slow = plan.steps().stream()
                .anyMatch(step -> step instanceof Step.Fault fault
                        && fault.kind() == FaultKind.SLOW_CLOCK
                        && fault.client() == client);
        if (slow) {
            bit(FaultKind.SLOW_CLOCK.label());
        }
        return slow;
    }

    /** Runs a plan. */
    static RunOutcome run(Plan plan, Setup setup, boolean tracing) {
        World world = new World(plan, setup, tracing);
        try {
            world.play();
        } catch (IllegalStateException e) {
            world.judge.violated(String.valueOf(e.getMessage()));
        } finally {
            world.server.close();
        }
        return new RunOutcome(
                world.judge.violation(), Map.copyOf(world.bitten), world.judge.grants(), List.copyOf(world.trace));
    }

    private void play() {
        begin();
        while (time.now() < END
                && !clients.stream().allMatch(SimulatedClient::isDone)
                && judge.violation().isEmpty()) {
            time.runUntil(time.now() + SECOND, judge::look);
        }
        if (judge.violation().isPresent()) {
            end();
            return;
        }
        for (SimulatedClient client : clients) {
            if (!client.isDone()) {
                judge.violated(client.machine.name() + " still waits long after everything has settled");
            }
        }
        // Faults that were planned for later have their time too, and end.
        time.runUntil(time.now() + 8 * SECOND, judge::look);
        clients.subList(0, plan.clients()).forEach(client -> {
            if (!client.isDead()) {
                client.close();
            }
        });
        time.runUntil(time.now() + GRACE, judge::look);
        nothingIsHeld();
        probe();
        end();
        nothingIsLeft();
    }

    private void begin() {
        Map<String, List<Step.Work>> works = new LinkedHashMap<>();
        for (Step step : plan.steps()) {
            if (step instanceof Step.Work work) {
                works.computeIfAbsent(work.client() + "/" + work.worker(), key -> new ArrayList<>())
                        .add(work);
            } else if (step instanceof Step.Close close) {
                time.at(close.atNanos(), () -> {
                    SimulatedClient client = clients.get(close.client());
                    if (!client.isDead()) {
                        note(client.machine.name(), "closes its factory");
                        client.close();
                    }
                });
            } else if (step instanceof Step.Fault fault) {
                time.at(fault.atNanos(), () -> new FaultMaker(this, fault).happen());
            }
        }
        works.values().forEach(some -> clients.get(some.get(0).client()).start(some));
    }

    /** Nobody lives who could hold a lock. */
    private void nothingIsHeld() {
        if (!setup.keysTell()) {
            return;
        }
        VirtualMachine last = clients.get(plan.clients()).machine;
        heldKeys()
                .filter(key -> server.peek(key) instanceof String value
                        && setup.strategy().isHeld(value, () -> last.micros() / 1000))
                .findFirst()
                .ifPresent(key ->
                        judge.violated("\"" + key + "\" is held as \"" + server.peek(key) + "\" by nobody who lives"));
    }

    /** Whoever comes now gets the lock. */
    private void probe() {
        SimulatedClient last = clients.get(plan.clients());
        int before = judge.grants();
        last.start(List.of(new Step.Work(
                -1, plan.clients(), 0, Step.Ask.TRY_LOCK_TIMED, "a", 0, SECOND / 100, 5 * SECOND, 1000, true, false)));
        time.runUntil(time.now() + 6 * SECOND, judge::look);
        if (judge.grants() == before) {
            judge.violated("the lock cannot be had although nobody holds it");
        }
    }

    /** Ends all threads. */
    private void end() {
        clients.forEach(client -> {
            if (client.isDead()) {
                client.bury();
            } else {
                client.close();
            }
        });
        for (int i = 0; i < 60 && !clients.stream().allMatch(client -> client.isClosed() && client.isIdle()); i++) {
            time.runUntil(time.now() + SECOND, () -> {});
        }
        for (SimulatedClient client : clients) {
            if (!client.isClosed() || !client.isIdle()) {
                judge.violated(client.machine.name() + " does not end");
            }
        }
    }

    private void nothingIsLeft() {
        time.runUntil(time.now() + FORGOTTEN, () -> {});
        Map<String, Long> left = server.lives();
        if (setup.strategy().keysEnd() && !left.isEmpty()) {
            judge.violated("keys are left behind for ever: " + left);
        }
    }

    @Override
    public void note(String who, String what) {
        if (tracing) {
            trace.add(String.format("%12.6f s  %-10s %s", time.now() / 1e9, who, what));
        }
    }

    @Override
    public void bit(String fault) {
        bitten.merge(fault, 1, Integer::sum);
    }

    void in(long nanos, Runnable action) {
        time.in(nanos, action);
    }

    SimulatedServer server() {
        return server;
    }

    VirtualMachine serverMachine() {
        return serverMachine;
    }

    SimulatedClient client(int number) {
        return clients.get(number);
    }

    /** Returns the value in the key of a lock, or null if there is none. */
    @Nullable
    Object word(String lock) {
        return server.peek(setup.strategy().key(lock));
    }

    boolean isFaultless() {
        return plan.steps().stream().noneMatch(step -> step instanceof Step.Fault);
    }

    Optional<String> heldKey() {
        return heldKeys().findFirst();
    }

    private Stream<String> heldKeys() {
        Set<String> keys = server.lives().keySet();
        return Stream.of("a", "b").map(setup.strategy()::key).filter(keys::contains);
    }
}
