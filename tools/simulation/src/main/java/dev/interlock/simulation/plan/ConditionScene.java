// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import java.util.List;
import java.util.Random;

/**
 * Adds to the plans of some seeds clients that wait for conditions and signal them. The steps that a seed has otherwise
 * stay, but for the faults where nothing is to go wrong.
 */
final class ConditionScene {
    private static final long MILLI = 1_000_000;

    /** One of so many seeds plays the scene. */
    private static final int SEEDS = 16;

    private static final int PLACE = 8;

    /** The first of the threads that the scene adds to each client. */
    private static final int FIRST_WORKER = 6;

    /** The faults at which a wait or a signal may be in the middle of something. */
    private static final List<FaultKind> FAULTS = List.of(
            FaultKind.CRASH,
            FaultKind.CRASH,
            FaultKind.CRASH,
            FaultKind.CLIENT_PAUSE,
            FaultKind.SUSPEND,
            FaultKind.DELAY,
            FaultKind.REQUEST_LOST,
            FaultKind.REPLY_LOST,
            FaultKind.SUBSCRIPTION_CUT,
            FaultKind.RESTART,
            FaultKind.FAILOVER,
            FaultKind.SERVER_PAUSE,
            FaultKind.OUT_OF_MEMORY);

    private final List<Step> steps;
    private final int clients;
    private final long lease;
    private final Random random;

    /** The number of the next step. */
    private int next;

    private ConditionScene(List<Step> steps, long seed, int clients, long lease) {
        this.steps = steps;
        this.clients = clients + 1;
        this.lease = lease;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 4);
        this.next = steps.size();
    }

    /**
     * Adds the scene to the plan of a seed, if it has it.
     *
     * @param clients how many clients there are
     * @param lease their lease, in ms
     * @return how many clients there are with that of the scene
     */
    static int add(List<Step> steps, long seed, int clients, long lease) {
        if (Math.floorMod(seed, SEEDS) != PLACE) {
            return clients;
        }
        ConditionScene scene = new ConditionScene(steps, seed, clients, lease);
        // Every second one of these seeds.
        if (Math.floorMod(seed, 2 * SEEDS) == PLACE) {
            steps.removeIf(Step.Fault.class::isInstance);
        } else {
            scene.addFaults();
        }
        scene.addWaits();
        scene.addSignals();
        return scene.clients;
    }

    private void addFaults() {
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            steps.add(new Step.Fault(
                    next++,
                    FAULTS.get(random.nextInt(FAULTS.size())),
                    random.nextInt(clients),
                    random.nextInt(1_500) * MILLI,
                    (1 + random.nextInt(2_000)) * MILLI,
                    random.nextInt(1 << 16)));
        }
        if (random.nextInt(4) == 0) {
            steps.add(new Step.Close(next++, random.nextInt(clients), random.nextInt(1_500) * MILLI));
        }
    }

    private void addWaits() {
        Step.Waiting[] kinds = Step.Waiting.values();
        for (int client = 0; client < clients; client++) {
            int workers = 1 + random.nextInt(2);
            for (int worker = 0; worker < workers; worker++) {
                int waits = 1 + random.nextInt(3);
                for (int i = 0; i < waits; i++) {
                    Step.Waiting kind = kinds[random.nextInt(kinds.length)];
                    boolean limited = kind == Step.Waiting.FOR_A_TIME
                            || kind == Step.Waiting.UNTIL_A_DATE
                            || random.nextBoolean();
                    steps.add(new Step.Await(
                            next++,
                            client,
                            FIRST_WORKER + worker,
                            kind,
                            "a",
                            condition(),
                            random.nextInt(50) * MILLI,
                            limited ? (1 + random.nextInt(random.nextBoolean() ? 300 : 3_000)) * MILLI : 0,
                            random.nextInt(random.nextBoolean() ? 400 : 20) * MILLI,
                            lease,
                            random.nextInt(4) > 0,
                            random.nextInt(3) == 0));
                }
            }
        }
    }

    private void addSignals() {
        for (int client = 0; client < clients; client++) {
            int signals = 1 + random.nextInt(4);
            for (int i = 0; i < signals; i++) {
                steps.add(new Step.Signal(
                        next++,
                        client,
                        FIRST_WORKER + 2,
                        random.nextInt(5) == 0,
                        "a",
                        condition(),
                        random.nextInt(300) * MILLI + random.nextInt((int) MILLI),
                        random.nextInt(random.nextBoolean() ? 200 : 10) * MILLI,
                        lease,
                        random.nextInt(4) > 0));
            }
        }
    }

    private String condition() {
        return random.nextInt(3) == 0 ? "c" : "";
    }
}
