// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Artifacts;
import java.time.Duration;
import java.util.List;

/** All scenarios. */
public final class Scenarios {
    private Scenarios() {}

    public static List<Scenario> all(Sizes scale) {
        Duration time = scale.time();
        return List.of(
                Throughput.ownNames("one-thread", time, 1),
                Throughput.threeNames("three-names", time),
                Throughput.threeLocks("three-locks", time),
                Throughput.ownNames("many-threads", time, scale.threads()),
                Throughput.ownNamesWithDefaultTimeouts("many-threads-default", time, scale.threads()),
                Throughput.ownNames("very-many-threads", time, scale.manyThreads()),
                Throughput.ownNamesWithDefaultTimeouts("very-many-threads-default", time, scale.manyThreads()),
                new ThrottledServer(time),
                new OnVirtualThreads("virtual-threads", time, scale.threads()),
                new OnVirtualThreads("very-many-virtual-threads", time, scale.manyThreads()),
                Throughput.oneName("one-name", time, scale.threads()),
                Throughput.oneNameOfClients("one-name-clients", time, scale.clients()),
                Throughput.oneNameOfClientsWithThreads(
                        "one-name-clients-threads", time, scale.clients(), scale.threadsPerClient()),
                new ReadWriteMix(
                        "readers", scale.clients() + " clients with 1 thread each that read", time, scale.clients(), 0),
                new ReadWriteMix(
                        "read-write",
                        scale.clients() + " clients with 1 thread each, 90 % of whose acquisitions are for reading",
                        time,
                        scale.clients(),
                        10),
                new HandOff(time),
                new SignalToWake(time),
                new IdlePair(time, scale.idle()),
                new OneWaiter(scale.settled(), scale.watched()),
                new IdleWaiters(scale),
                new HeldLocks("held-locks", scale.locks(), scale.lease()),
                new HeldLocks("very-many-held-locks", scale.manyLocks(), scale.lease()),
                new LastHeld(scale),
                new FirstLock(Artifacts.ofThisModule()));
    }
}
