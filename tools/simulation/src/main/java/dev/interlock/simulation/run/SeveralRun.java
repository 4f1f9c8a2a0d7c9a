// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.plan.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes a lock over several names, and gives it back. */
final class SeveralRun extends WorkRun {
    private final List<String> names;
    private final List<Judge.Held> held = new ArrayList<>();

    SeveralRun(SimulatedClient client, Step.Several several, String who, DistributedLock lock) {
        super(client, several.work(), who, lock);
        this.names = several.names();
    }

    /** Whoever has the lock holds each name, and its server knows that. */
    @Override
    Judge.@Nullable Held granted(Lease lease) {
        for (String name : names) {
            held.add(judge.granted(name, who, lease, lease.fencingToken(name)));
            if (world.isFaultless() && lease.isValid() && world.servers().word(name) == null) {
                judge.violated(who + " holds \"" + task.lock() + "\", and nobody has \"" + name + "\" on the server");
            }
        }
        return null;
    }

    @Override
    void returned(Judge.@Nullable Held none) {
        held.forEach(judge::returned);
        held.clear();
    }
}
