// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.time.Duration;
import java.util.List;

/** All scenarios that there are. */
final class Scenarios {
    private Scenarios() {}

    static List<Scenario> all(Scale scale) {
        Duration time = scale.time();
        return List.of(
                Throughput.ownNames("one-thread", time, 1),
                Throughput.ownNames("many-threads", time, scale.threads()),
                Throughput.ownNames("very-many-threads", time, scale.manyThreads()),
                Throughput.oneName("one-name", time, scale.threads()),
                Throughput.oneNameOfClients("one-name-clients", time, scale.clients()),
                Throughput.oneNameOfClientsWithThreads(
                        "one-name-clients-threads", time, scale.clients(), scale.threadsPerClient()),
                new HandOff(time),
                new IdleWaiters(scale),
                new HeldLocks(scale),
                new LastHeld(scale),
                new FirstLock(Artifacts.ofThisModule()));
    }
}
