// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.plan.Step;
import dev.interlock.simulation.time.VirtualMachine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator who changes the list of servers. Each command is a process of its own. One that fails, is broken off or
 * dies is followed by another one, until the change has ended.
 */
final class SimulatedOperator {
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_NANOS = 20 * SECOND;
    private static final long PAUSE_NANOS = SECOND / 2;

    private final World world;
    private final Step.Change change;
    private final List<Command> commands = new ArrayList<>();
    private boolean done;
    private boolean ending;

    SimulatedOperator(World world, Step.Change change) {
        this.world = world;
        this.change = change;
    }

    /** One process that carries the change out, or goes on with it. */
    private static final class Command {
        private final VirtualMachine machine;

        /** Its ports to the servers. */
        private final List<SimulatedNode> nodes = new ArrayList<>();

        private @Nullable Thread thread;
        private boolean dead;
        private boolean over;

        Command(VirtualMachine machine) {
            this.machine = machine;
        }
    }

    /** Gives the first command. */
    void begin() {
        give(change.patienceNanos(), change.dies());
    }

    /** Returns whether the change has ended. */
    boolean isDone() {
        return done;
    }

    /** Returns whether no thread of a command runs. */
    boolean isIdle() {
        return commands.stream().allMatch(command -> command.over);
    }

    /** Makes the threads of all commands end. */
    void end() {
        ending = true;
        for (Command command : commands) {
            if (!command.over) {
                command.machine.go();
                interrupt(command);
            }
        }
    }

    private void give(long patienceNanos, boolean dies) {
        if (ending) {
            return;
        }
        Command command = new Command(world.newMachine("operator-" + commands.size()));
        commands.add(command);
        Thread thread = command.machine.newThread("command", () -> run(command));
        command.thread = thread;
        thread.start();
        world.in(patienceNanos, () -> breakOff(command, dies));
    }

    private void run(Command command) {
        String who = command.machine.name();
        try {
            world.change(command.machine, command.nodes, what -> world.note(who, what));
            succeed(command);
        } catch (InterruptedException e) {
            world.note(who, "was broken off");
        } catch (LeaseLostException | LockBackendException | IllegalStateException e) {
            world.note(who, String.valueOf(e.getMessage()));
        } finally {
            command.over = true;
        }
        if (!done && !command.dead) {
            followUp();
        }
    }

    private void succeed(Command command) {
        if (!done && !command.dead) {
            done = true;
            world.faultHadEffect("nodes-changed");
            world.servers().listHasChanged();
        }
    }

    private void breakOff(Command command, boolean dies) {
        if (command.over || ending) {
            return;
        }
        world.faultHadEffect("change-broken-off");
        if (dies) {
            world.note(command.machine.name(), "dies");
            command.dead = true;
            command.machine.stop();
            command.nodes.forEach(node -> node.die(PAUSE_NANOS));
            followUp();
        } else {
            interrupt(command);
        }
    }

    private static void interrupt(Command command) {
        Thread thread = command.thread;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void followUp() {
        world.in(PAUSE_NANOS, () -> give(PATIENCE_NANOS, false));
    }
}
