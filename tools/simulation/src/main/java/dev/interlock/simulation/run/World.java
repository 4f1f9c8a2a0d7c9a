// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.LockConfig;
import dev.interlock.redis.RedisNode;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.judge.SignalJudge;
import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.network.SimulatedServer;
import dev.interlock.simulation.network.SimulationObserver;
import dev.interlock.simulation.plan.FaultKind;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.plan.Step;
import dev.interlock.simulation.time.StuckException;
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
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** One run of a plan: the clients, the server and the faults, on one virtual clock. */
final class World implements SimulationObserver {
    private static final long SECOND = 1_000_000_000L;

    /** The time by which all steps of the plan must be done, also with faults. */
    private static final long END = 180 * SECOND;

    /**
     * When whoever was signalled has long returned: all other steps are done, and a chain of waiters that have died is
     * passed over.
     */
    private static final long SETTLED = 60 * SECOND;

    private static final long WAKE_PAUSE = 5 * SECOND;

    /** The longest time for which a dead client may keep a lock: the longest lease, and the difference of clocks. */
    private static final long GRACE = 5 * SECOND;

    /** The time by which no key may be left on the server. */
    private static final long FORGOTTEN = 26 * 3600 * SECOND;

    private static final double SLOW = 0.8;

    /** How often somebody asks for a lock of servers that have to be watched first. */
    private static final int WARM_UPS = 6;

    /** Seeds that are close to each other would begin with nearly the same numbers. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** How far wall clocks that agree may be from the world's, in ms. */
    private static final int AGREED_MILLIS = 100;

    private final Plan plan;
    private final Setup setup;
    private final VirtualTime time;
    private final ServerGroup servers;
    private long begun;
    private final Judge judge;
    private final SignalJudge signals;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final Optional<SimulatedOperator> operator;

    /** Decides about the processes of the operator. */
    private final Random operating;

    private final LockConfig config;
    private final Map<String, Integer> effects = new TreeMap<>();
    private final List<String> trace = new ArrayList<>();
    private final boolean tracing;

    private World(Plan plan, Setup setup, boolean tracing) {
        this.plan = plan;
        this.setup = setup;
        this.tracing = tracing;
        Random random = new Random(plan.seed() ^ 0x5DEECE66DL);
        this.time = new VirtualTime(random.nextLong());
        this.servers = new ServerGroup(plan, setup, time, random, this);
        // While the list changes, waiters move to other leads.
        boolean wakes = setup.wakes()
                && plan.isFaultless()
                && plan.change().isEmpty()
                && (servers.areWatched() || !servers.areSeveral());
        this.judge =
                new Judge(setup.isFenced(), wakes, setup.strategy().lingers(), time::now, what -> note("judge", what));
        this.signals = new SignalJudge(judge, plan.isFaultless() && !plan.closes(), time::now, this);
        LockConfig.Builder options = LockConfig.builder()
                .commandTimeout(Duration.ofMillis(200 + random.nextInt(3) * 200L))
                .waitCeiling(Duration.ofMillis(500 + random.nextInt(3) * 500L));
        setup.strategy().configure(options);
        setup.options().forEach(options::option);
        this.config = options.build();
        this.operator = plan.change().map(change -> new SimulatedOperator(this, change));
        this.operating = new Random(plan.seed() * SPREAD + 3);
        for (int i = 0; i < plan.clients() + 1; i++) {
            LockConfig own = plan.trusts(i) ? listing().trusting(config) : config;
            long seed = random.nextLong();
            double rate = isSlow(i) ? SLOW : rate(random);
            VirtualMachine machine = new VirtualMachine("client-" + i, time, seed, rate);
            if (setup.assumes(Assumption.CLIENT_CLOCKS_AGREE)) {
                machine.stepWallClock(Math.floorMod(seed, 2 * AGREED_MILLIS + 1) - AGREED_MILLIS);
            } else if (servers.areSeveral()) {
                machine.stepWallClock(servers.skew(seed));
            }
            List<SimulatedNode> nodes = new ArrayList<>();
            clients.add(new SimulatedClient(
                    this,
                    machine,
                    nodes,
                    setup.strategy().newFactory(servers.namedBy(i), ports(machine, seed, nodes), own, machine),
                    judge,
                    signals,
                    plan.trusts(i)));
            servers.others(i).ifPresent(fault -> faultHadEffect(fault.kind().label()));
        }
    }

    /** Makes the ports of a process to servers, which are added to a list. */
    private Function<String, RedisNode> ports(VirtualMachine machine, long seed, List<SimulatedNode> nodes) {
        return name -> {
            long nodeSeed = seed + 1 + nodes.size() * SPREAD;
            SimulatedNode node = new SimulatedNode(time, machine, servers.get(name), nodeSeed, this);
            nodes.add(node);
            return node;
        };
    }

    /** Makes the process of an operator. */
    VirtualMachine newMachine(String name) {
        long seed = operating.nextLong();
        VirtualMachine machine = new VirtualMachine(name, time, seed, rate(operating));
        machine.stepWallClock(servers.skew(seed));
        return machine;
    }

    /**
     * Changes the list of servers as the plan says, or goes on with that.
     *
     * @param machine the process of the operator, on a thread of which this runs
     * @param nodes gets its ports
     * @param progress told what the change waits for
     */
    void change(VirtualMachine machine, List<SimulatedNode> nodes, Consumer<String> progress)
            throws InterruptedException {
        listing()
                .change(
                        servers.namedByOperator(),
                        ports(machine, operating.nextLong(), nodes),
                        config,
                        machine,
                        servers.order(),
                        progress);
    }

    /** Clocks differ in rate by less than a hundredth. */
    static double rate(Random random) {
        return 1 + (random.nextDouble() - 0.5) * 0.008;
    }

    private boolean isSlow(int client) {
        boolean slow = plan.faults(FaultKind.SLOW_CLOCK).anyMatch(fault -> fault.client() == client);
        if (slow) {
            faultHadEffect(FaultKind.SLOW_CLOCK.label());
        }
        return slow;
    }

    /** Runs a plan. */
    static RunOutcome run(Plan plan, Setup setup, boolean tracing) {
        World world = new World(plan, setup, tracing);
        boolean stuck = false;
        try {
            world.play();
        } catch (IllegalStateException e) {
            stuck = e instanceof StuckException;
            world.judge.violated(String.valueOf(e.getMessage()));
        } finally {
            world.servers.close();
        }
        return new RunOutcome(
                world.judge.violation(),
                Map.copyOf(world.effects),
                world.judge.grants(),
                List.copyOf(world.trace),
                stuck);
    }

    private void play() {
        if (servers.areSeveral() && servers.areWatched()) {
            warmUp();
        }
        begun = time.now();
        begin();
        while (time.now() - begun < END
                && !(clients.stream().allMatch(SimulatedClient::isDone) && isListChanged())
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
        if (!isListChanged()) {
            judge.violated("the list of servers cannot be changed although they answer");
        }
        // Lets faults that were planned for later happen and end.
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

    private Strategies.Listing listing() {
        return (Strategies.Listing) setup.strategy();
    }

    /** Returns whether the change of the list has ended, or there is none. */
    private boolean isListChanged() {
        return operator.map(SimulatedOperator::isDone).orElse(true);
    }

    /**
     * Waits until the servers vote: clients have to watch them for as long as the longest lease lasts. Each list of
     * servers has a client that does.
     */
    private void warmUp() {
        for (SimulatedClient client : clients) {
            int number = clients.indexOf(client);
            if (number == plan.clients() || servers.others(number).isPresent()) {
                await(
                        client,
                        probing(client, "warm-up"),
                        WARM_UPS,
                        "nobody gets a lock although no server has a reason not to vote");
            }
        }
    }

    /** Has a client ask until it gets a lock. */
    private void await(SimulatedClient client, Step.Task task, int times, String otherwise) {
        int before = judge.grants();
        for (int i = 0; i < times && judge.grants() == before; i++) {
            client.start(List.of(task));
            time.runUntil(time.now() + 6 * SECOND, judge::look);
        }
        if (judge.grants() == before) {
            judge.violated(otherwise);
        }
    }

    private Step.Work probing(SimulatedClient client, String lock) {
        return new Step.Work(
                -1,
                clients.indexOf(client),
                0,
                Step.Ask.TRY_LOCK_TIMED,
                lock,
                0,
                SECOND / 100,
                5 * SECOND,
                1000,
                true,
                false);
    }

    /** Has a client ask that knows the list while no server has it: only a client can write it anew then. */
    private void bringListBack() {
        if (!isListChanged() && time.now() - begun < END - SETTLED) {
            if (!servers.keepList()) {
                SimulatedClient last = clients.get(plan.clients());
                last.start(List.of(probing(last, "a")));
            }
            time.in(SETTLED, this::bringListBack);
        }
    }

    private void begin() {
        Map<String, List<Step.Task>> tasks = new LinkedHashMap<>();
        for (Step step : plan.steps()) {
            if (step instanceof Step.Task task) {
                tasks.computeIfAbsent(task.client() + "/" + task.worker(), key -> new ArrayList<>())
                        .add(task);
            } else if (step instanceof Step.Close close) {
                time.at(begun + close.atNanos(), () -> {
                    SimulatedClient client = clients.get(close.client());
                    if (!client.isDead()) {
                        note(client.machine.name(), "closes its factory");
                        client.close();
                    }
                });
            } else if (step instanceof Step.Change change) {
                operator.ifPresent(one -> time.at(begun + change.atNanos(), one::begin));
            } else if (step instanceof Step.Fault fault) {
                time.at(begun + fault.atNanos(), () -> new FaultMaker(this, fault).happen());
            }
        }
        if (operator.isPresent()) {
            time.at(begun + SETTLED, this::bringListBack);
        }
        tasks.values().forEach(some -> clients.get(some.get(0).client()).start(some));
        if (!plan.waits().isEmpty()) {
            time.at(begun + SETTLED, this::wakeAll);
        }
    }

    /** Checks that nobody waits whom a signal was for, and has a new client wake all others. */
    private void wakeAll() {
        signals.lookAtSettled();
        if (!signals.isAnybodyWaiting()) {
            return;
        }
        List<Step.Task> all = plan.waits().stream()
                .map(one -> List.of(one.lock(), one.condition()))
                .distinct()
                .<Step.Task>map(one -> new Step.Signal(
                        -1, plan.clients(), 0, true, one.get(0), one.get(1), 0, SECOND / 100, 1000, true))
                .toList();
        clients.get(plan.clients()).start(all);
        // Threads that go on may wait again.
        time.in(WAKE_PAUSE, this::wakeAll);
    }

    /** Checks that no lock is held, since no holder is alive. */
    private void nothingIsHeld() {
        if (!setup.keysTell()) {
            return;
        }
        VirtualMachine last = clients.get(plan.clients()).machine;
        for (ServerGroup.Host host : servers.all()) {
            SimulatedServer server = host.server();
            servers.heldSides(server)
                    .findFirst()
                    .ifPresent(key -> judge.violated(
                            "\"" + key + "\" is on " + server.name() + ", and nobody who lives holds a side"));
            servers.heldKeys(server)
                    .filter(key -> server.peek(key) instanceof String value
                            && setup.strategy().isHeld(value, () -> last.micros() / 1000))
                    .findFirst()
                    .ifPresent(key -> judge.violated("\"" + key + "\" is held as \"" + server.peek(key) + "\" on "
                            + server.name() + " by nobody who lives"));
        }
    }

    /** Checks that a new client gets each lock. */
    private void probe() {
        SimulatedClient last = clients.get(plan.clients());
        String otherwise = "the lock cannot be had although nobody holds it";
        await(last, probing(last, "a"), servers.areSeveral() ? WARM_UPS : 1, otherwise);
        if (plan.hasSides()) {
            await(last, new Step.Side(probing(last, Plan.SHARED), true, false), 1, otherwise);
        }
        if (plan.hasSeveral()) {
            await(last, new Step.Several(probing(last, "all"), Plan.SEVERAL), 1, otherwise);
        }
    }

    /** Ends all threads. */
    private void end() {
        operator.ifPresent(SimulatedOperator::end);
        clients.forEach(client -> {
            if (client.isDead()) {
                client.bury();
            } else {
                client.close();
            }
        });
        for (int i = 0; i < 60 && !haveAllEnded(); i++) {
            time.runUntil(time.now() + SECOND, () -> {});
        }
        if (!operator.map(SimulatedOperator::isIdle).orElse(true)) {
            judge.violated("the command of the operator does not end");
        }
        for (SimulatedClient client : clients) {
            if (!client.isClosed() || !client.isIdle()) {
                judge.violated(client.machine.name() + " does not end");
            }
        }
    }

    private boolean haveAllEnded() {
        return clients.stream().allMatch(client -> client.isClosed() && client.isIdle())
                && operator.map(SimulatedOperator::isIdle).orElse(true);
    }

    private void nothingIsLeft() {
        time.runUntil(time.now() + FORGOTTEN, () -> {});
        for (ServerGroup.Host host : servers.all()) {
            Map<String, Long> left = new TreeMap<>(host.server().lives());
            left.keySet().removeIf(setup.strategy()::stays);
            if (!left.isEmpty()) {
                judge.violated("keys are left behind for ever: " + left);
            }
        }
    }

    @Override
    public boolean isTracing() {
        return tracing;
    }

    @Override
    public void note(String who, String what) {
        if (tracing) {
            trace.add(String.format("%12.6f s  %-10s %s", time.now() / 1e9, who, what));
        }
    }

    @Override
    public void faultHadEffect(String fault) {
        effects.merge(fault, 1, Integer::sum);
    }

    void in(long nanos, Runnable action) {
        time.in(nanos, action);
    }

    ServerGroup servers() {
        return servers;
    }

    SimulatedClient client(int number) {
        return clients.get(number);
    }

    boolean isFaultless() {
        return plan.isFaultless();
    }
}
