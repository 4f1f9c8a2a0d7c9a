// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.network.SimulatedServer;
import dev.interlock.simulation.plan.Step;
import java.util.List;
import java.util.function.Consumer;

/** Applies one fault to the simulated world. */
final class FaultMaker {
    /** The most writes that a promoted replica may lack. */
    private static final int MAX_LOST_WRITES = 6;

    /** Dead holders keep a lock on that server for so much longer at most. */
    private static final int MAX_BACK_MILLIS = 3_000;

    private final World world;
    private final Step.Fault fault;
    private final SimulatedClient client;

    FaultMaker(World world, Step.Fault fault) {
        this.world = world;
        this.fault = fault;
        this.client = world.client(fault.client());
    }

    void happen() {
        if (fault.kind().isOfAClient() && client.isDead()) {
            return;
        }
        world.note("fault", fault.toString());
        switch (fault.kind()) {
            case DELAY -> nodes(node -> node.slow(fault.nanos(), 1_000_000L * (10 + fault.amount() % 1000)));
            case REQUEST_LOST -> nodes(node -> node.cut(false));
            case REPLY_LOST -> nodes(node -> node.cut(true));
            case DUPLICATE -> nodes(node -> node.duplicate(1 + fault.amount() % 3));
            case SUBSCRIPTION_CUT -> nodes(node -> node.cutSubscriptions(fault.nanos() / 4));
            case CLIENT_PAUSE -> pause(false);
            case SUSPEND -> pause(true);
            case WALL_STEP -> {
                client.machine.stepWallClock(fault.amount() % 20_000L - 10_000L);
                recordEffect(!client.isDone());
            }
            case CRASH -> {
                recordEffect(!client.isDone());
                client.die(fault.nanos());
            }
            case SLOW_CLOCK, OTHER_SERVERS -> {}
            default -> world.servers().struckBy(fault).forEach(this::strike);
        }
    }

    /** Strikes the ports of the client to the servers that the fault happens to. */
    private void nodes(Consumer<SimulatedNode> strike) {
        List<SimulatedServer> servers = world.servers().struckBy(fault).stream()
                .map(ServerGroup.Host::server)
                .toList();
        client.nodes.stream().filter(node -> servers.contains(node.server())).forEach(strike);
    }

    private void strike(ServerGroup.Host host) {
        SimulatedServer server = host.server();
        switch (fault.kind()) {
            case SERVER_PAUSE -> server.pause(fault.nanos());
            case RESTART -> {
                recordEffect(true);
                server.restart(fault.nanos() / 2, true);
            }
            case FAILOVER -> {
                recordEffect(true);
                // One of several servers is kept out for as long as it may lack a lease.
                server.failOver(fault.nanos() / 2, world.servers().mayForget() ? missing() - 1 : 0);
            }
            case SCRIPT_FLUSH -> server.flushScripts();
            case OUT_OF_MEMORY -> {
                server.withoutMemory(true);
                world.in(fault.nanos(), () -> server.withoutMemory(false));
            }
            case SERVER_STEP -> {
                recordEffect(world.servers().heldKey().isPresent());
                host.machine().stepWallClock(5_000L + fault.amount() % 5_000L);
            }
            case SERVER_STEP_BACK -> {
                recordEffect(world.servers().heldKey().isPresent());
                host.machine().stepWallClock(-1L - fault.amount() % MAX_BACK_MILLIS);
            }
            case FAILOVER_LOSS -> {
                recordEffect(world.servers().heldKey().isPresent());
                if (world.servers().areSeveral()) {
                    server.resynchronize(missing());
                } else {
                    server.failOver(fault.nanos() / 10, missing());
                }
            }
            case ROLLBACK -> {
                recordEffect(world.servers().heldKey().isPresent());
                server.rollBack(fault.nanos() / 10, missing());
            }
            case RESTART_EMPTY -> {
                recordEffect(world.servers().heldKey().isPresent());
                server.restart(fault.nanos() / 10, false);
            }
            case FLUSH -> {
                recordEffect(world.servers().heldKey().isPresent());
                server.flush();
            }
            case EVICTION ->
                recordEffect(world.servers().heldKey().map(server::evict).orElse(false));
            case SERVER_LOST -> {
                if (world.servers().areWatched()) {
                    recordEffect(true);
                    server.lose();
                }
            }
            case MAJORITY_LOST -> {
                recordEffect(true);
                server.lose();
            }
            default -> throw new IllegalStateException(fault.kind() + " is no fault of a server");
        }
    }

    /** How many of the last changes a server lacks. */
    private int missing() {
        return 1 + fault.amount() % MAX_LOST_WRITES;
    }

    private void pause(boolean suspended) {
        recordEffect(!client.isDone());
        client.machine.stop();
        world.in(fault.nanos(), () -> {
            if (!client.isDead()) {
                if (suspended) {
                    client.machine.suspended(fault.nanos());
                }
                client.machine.go();
                world.note(client.machine.name(), "goes on");
            }
        });
    }

    private void recordEffect(boolean effective) {
        if (effective) {
            world.faultHadEffect(fault.kind().label());
        }
    }
}
