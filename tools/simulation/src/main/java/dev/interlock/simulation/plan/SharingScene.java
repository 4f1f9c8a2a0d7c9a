// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import java.util.List;
import java.util.Random;

/**
 * Adds to the plans of some seeds clients that read and write under a read/write lock, or that take locks over several
 * names which overlap. The steps that a seed has otherwise stay, but for the faults where nothing is to go wrong.
 */
final class SharingScene {
    private static final long MILLI = 1_000_000;

    /** Each kind is played by one of so many seeds. */
    private static final int SEEDS = 16;

    private static final int SIDES = 3;
    private static final int SEVERAL = 13;

    /** The first of the threads that the scene adds to each client. */
    private static final int FIRST_WORKER = 6;

    private static final int MOST_WORKERS = 3;

    /** The faults at which somebody may be between two phases, or may have some of several names. */
    private static final List<FaultKind> FAULTS = List.of(
            FaultKind.CRASH,
            FaultKind.CRASH,
            FaultKind.CLIENT_PAUSE,
            FaultKind.CLIENT_PAUSE,
            FaultKind.SUSPEND,
            FaultKind.DELAY,
            FaultKind.REQUEST_LOST,
            FaultKind.REPLY_LOST,
            FaultKind.DUPLICATE,
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

    private SharingScene(List<Step> steps, long seed, int clients, long lease) {
        this.steps = steps;
        this.clients = clients + 1;
        this.lease = lease;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 5);
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
        int place = Math.floorMod(seed, SEEDS);
        if (place != SIDES && place != SEVERAL) {
            return clients;
        }
        SharingScene scene = new SharingScene(steps, seed, clients, lease);
        // Every second one of these seeds.
        if (Math.floorMod(seed, 2 * SEEDS) == place) {
            steps.removeIf(Step.Fault.class::isInstance);
        } else {
            scene.addFaults();
        }
        scene.addTasks(place == SIDES);
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

    private void addTasks(boolean sides) {
        for (int client = 0; client < clients; client++) {
            int workers = 1 + random.nextInt(MOST_WORKERS);
            for (int worker = 0; worker < workers; worker++) {
                int tasks = 1 + random.nextInt(4);
                for (int i = 0; i < tasks; i++) {
                    steps.add(sides ? side(client, worker) : several(client, worker));
                }
            }
        }
    }

    private Step side(int client, int worker) {
        boolean writes = random.nextInt(5) < 2;
        boolean downgrades = writes && random.nextInt(3) == 0;
        return new Step.Side(work(client, worker, Plan.SHARED), writes, downgrades);
    }

    private Step several(int client, int worker) {
        // A name alone is the lock of that name.
        List<String> names =
                Plan.SEVERAL.stream().filter(name -> random.nextInt(5) < 3).toList();
        List<String> some = names.isEmpty() ? Plan.SEVERAL : names;
        return new Step.Several(work(client, worker, String.join("+", some)), some);
    }

    private Step.Work work(int client, int worker, String lock) {
        Step.Ask[] asks = Step.Ask.values();
        return new Step.Work(
                next++,
                client,
                FIRST_WORKER + worker,
                asks[random.nextInt(asks.length)],
                lock,
                random.nextInt(random.nextInt(3) == 0 ? 600 : 40) * MILLI + random.nextInt((int) MILLI),
                random.nextInt(random.nextInt(3) == 0 ? (int) lease * 2 : 40) * MILLI,
                (1 + random.nextInt(random.nextBoolean() ? 3_000 : 100)) * MILLI,
                lease,
                random.nextInt(4) > 0,
                random.nextInt(6) == 0);
    }
}
