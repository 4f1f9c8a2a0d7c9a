// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

/** Applies one fault to the simulated world. */
final class FaultMaker {
    /** The most writes that a promoted replica may lack. */
    private static final int MAX_LOST_WRITES = 6;

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
            case DELAY -> client.node.slow(fault.nanos(), 1_000_000L * (10 + fault.amount() % 1000));
            case REQUEST_LOST -> client.node.cut(false);
            case REPLY_LOST -> client.node.cut(true);
            case DUPLICATE -> client.node.duplicate(1 + fault.amount() % 3);
            case SUBSCRIPTION_CUT -> client.node.cutSubscriptions(fault.nanos() / 4);
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
            case SERVER_PAUSE -> world.server().pause(fault.nanos());
            case RESTART -> {
                recordEffect(true);
                world.server().restart(fault.nanos() / 2, true);
            }
            case FAILOVER -> {
                recordEffect(true);
                world.server().failOver(fault.nanos() / 2, 0);
            }
            case SCRIPT_FLUSH -> world.server().flushScripts();
            case OUT_OF_MEMORY -> {
                world.server().withoutMemory(true);
                world.in(fault.nanos(), () -> world.server().withoutMemory(false));
            }
            case SERVER_STEP -> {
                recordEffect(world.heldKey().isPresent());
                world.serverMachine().stepWallClock(5_000L + fault.amount() % 5_000L);
            }
            case SLOW_CLOCK -> {}
            case FAILOVER_LOSS -> {
                recordEffect(world.heldKey().isPresent());
                world.server().failOver(fault.nanos() / 10, 1 + fault.amount() % MAX_LOST_WRITES);
            }
            case RESTART_EMPTY -> {
                recordEffect(world.heldKey().isPresent());
                world.server().restart(fault.nanos() / 10, false);
            }
            case EVICTION ->
                recordEffect(world.heldKey().map(world.server()::evict).orElse(false));
        }
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
            world.bit(fault.kind().label());
        }
    }
}
