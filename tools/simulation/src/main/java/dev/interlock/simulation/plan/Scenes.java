// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import dev.interlock.spi.Assumption;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Adds to the plans of some seeds what would hardly ever happen by chance, where several servers vote. The steps that a
 * seed has otherwise stay as they are.
 */
final class Scenes {
    private static final long MILLI = 1_000_000;

    /** Each scene is played by one of so many seeds, or by two. */
    private static final int SEEDS = 16;

    private static final int FORGETTING = 10;
    private static final int CHANGING_THREE_SERVERS = 6;
    private static final int CHANGING_FIVE_SERVERS = 15;
    private static final int TRUSTING = 13;
    private static final int CROWDED = 14;

    /** Half of the changes replace a server. */
    private static final List<ListChange> CHANGES =
            List.of(ListChange.REPLACE, ListChange.REPLACE, ListChange.ADD, ListChange.REMOVE);

    private static final Set<Integer> CASES =
            Set.of(FORGETTING, CHANGING_THREE_SERVERS, CHANGING_FIVE_SERVERS, TRUSTING, CROWDED);

    /** The first of the threads that a scene adds to each client. */
    private static final int FIRST_WORKER = 6;

    private static final int ASKS_OF_A_CROWD = 3;

    /** A lease that lasts for most of a scene. */
    private static final long LONG_LEASE = 2_000;

    /** When clients ask all at once, in ms after the beginning: while the list changes, and after that. */
    private static final int[][] CROWDS_OF_A_CHANGE = {{500, 3_000}, {3_000, 5_500}, {6_000, 9_000}, {11_000, 13_000}};

    /** When they do beside one that trusts the servers. */
    private static final int[][] CROWDS_BESIDE_TRUST = {{0, 300}, {300, 3_000}};

    /** When they do where nothing goes wrong. */
    private static final int[][] CROWDS_WITHOUT_FAULTS = {{20, 100}, {100, 200}, {200, 400}};

    private final List<Step> steps;
    private final int clients;
    private final long lease;
    private final Random random;

    /** The number of the next step. */
    private int next;

    private Scenes(List<Step> steps, long seed, int clients, long lease) {
        this.steps = steps;
        this.clients = clients;
        this.lease = lease;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 2);
        this.next = steps.size();
    }

    /**
     * Adds the scene of a seed, if it has one.
     *
     * @param clients how many clients there are
     * @param lease their lease, in ms
     * @param assumed what the strategy assumes
     * @return how many clients there are with those of the scene
     */
    static int add(List<Step> steps, long seed, int clients, long lease, Set<Assumption> assumed) {
        if (!assumed.contains(Assumption.MAJORITY_UP) || assumed.contains(Assumption.RESTART_KEEPS_DATA)) {
            // Clients watch no servers.
            return clients;
        }
        Scenes scene = new Scenes(steps, seed, clients, lease);
        return switch (place(seed)) {
            case FORGETTING -> scene.forget();
            case CHANGING_THREE_SERVERS, CHANGING_FIVE_SERVERS -> scene.change();
            case TRUSTING -> scene.trust();
            case CROWDED -> scene.crowd();
            default -> clients;
        };
    }

    /**
     * Returns whether the plan of a seed has a scene. Its clocks begin close to each other: servers that forget their
     * counters draw the next tokens from the time, and somebody who asks after that must not be behind by more than
     * they stood aside.
     */
    static boolean isIn(long seed) {
        return CASES.contains(place(seed));
    }

    private static int place(long seed) {
        return Math.floorMod(seed, SEEDS);
    }

    /** Most servers forget a lease that is not over, and two clients ask one after the other. */
    private int forget() {
        keepClocks();
        List<FaultKind> kinds = List.of(FaultKind.RESTART_EMPTY, FaultKind.FLUSH, FaultKind.FAILOVER);
        long at = 100L + random.nextInt(300);
        // So late that few changes come after it: a replica lacks the last ones.
        steps.add(work(0, 0, Step.Ask.TRY_ACQUIRE_TIMED, "b", at - 2 - random.nextInt(8), 1_900, LONG_LEASE, false));
        // Odd, so that it strikes several: all three servers but one at most.
        int amount = random.nextInt(128) * 2 + 1 + (List.of(3, 5, 6, 7).get(random.nextInt(4)) << 8);
        steps.add(new Step.Fault(next++, kinds.get(random.nextInt(kinds.size())), 0, at * MILLI, 20 * MILLI, amount));
        long asking = at + 5 + random.nextInt(400);
        steps.add(work(clients, 0, Step.Ask.TRY_LOCK, "b", asking, 10, LONG_LEASE, false));
        steps.add(work(clients + 1, 0, Step.Ask.TRY_LOCK, "b", asking + random.nextInt(30), 10, LONG_LEASE, false));
        steps.add(work(clients + 1, 0, Step.Ask.TRY_LOCK_TIMED, "b", random.nextInt(300), 10, LONG_LEASE, false));
        // Before that, both have seen the servers.
        steps.add(work(clients, 1, Step.Ask.TRY_LOCK, "a", 0, 5, LONG_LEASE, false));
        steps.add(work(clients + 1, 1, Step.Ask.TRY_LOCK, "a", 0, 5, LONG_LEASE, false));
        return clients + 2;
    }

    /** Removes faults after which a clock is behind by seconds. */
    private void keepClocks() {
        steps.removeIf(step -> step instanceof Step.Fault fault
                && (fault.kind() == FaultKind.WALL_STEP || fault.kind() == FaultKind.SERVER_STEP_BACK));
    }

    /**
     * An operator changes the list of servers. A lock is held all the time. Clients ask for locks at the same moments,
     * since only then can two get one lock by different lists.
     */
    private int change() {
        if (steps.stream().anyMatch(Scenes::forgets)) {
            keepClocks();
        }
        steps.replaceAll(Scenes::sparingOne);
        ListChange kind = CHANGES.get(random.nextInt(CHANGES.size()));
        boolean isServerLost = steps.stream()
                .anyMatch(step -> step instanceof Step.Fault fault && fault.kind() == FaultKind.SERVER_LOST);
        steps.add(new Step.Change(
                next++,
                // Of two servers, a majority is both.
                kind == ListChange.REMOVE && isServerLost ? ListChange.REPLACE : kind,
                random.nextInt(1 << 16),
                clients,
                random.nextInt(1_000) * MILLI,
                (random.nextBoolean() ? 500 + random.nextInt(5_500) : 20_000) * MILLI,
                random.nextBoolean()));
        steps.add(work(
                0, 0, Step.Ask.TRY_ACQUIRE_TIMED, "b", random.nextInt(50), 5_000 + random.nextInt(4_000), lease, true));
        addCrowds(CROWDS_OF_A_CHANGE);
        return clients + 1;
    }

    private static boolean forgets(Step step) {
        return step instanceof Step.Fault fault && fault.kind().forgets();
    }

    /**
     * Lets a fault strike all servers but one at most: if no server remembers the list, it is whatever the first client
     * has in its configuration.
     */
    private static Step sparingOne(Step step) {
        if (!(step instanceof Step.Fault fault && forgets(step))) {
            return step;
        }
        int bit = 1 << 8;
        int amount = fault.kind() == FaultKind.RESTART_EMPTY ? fault.amount() | bit : fault.amount() & ~bit;
        return new Step.Fault(fault.number(), fault.kind(), fault.client(), fault.atNanos(), fault.nanos(), amount);
    }

    /** A client trusts the servers, which keep their data then, and others watch them. */
    private int trust() {
        steps.add(new Step.Trust(next++, clients));
        addCrowds(CROWDS_BESIDE_TRUST);
        steps.removeIf(Scenes::forgets);
        return clients + 1;
    }

    /** Many wait for one lock, and nothing goes wrong: the lock is passed on from one to the next at once. */
    private int crowd() {
        steps.removeIf(Step.Fault.class::isInstance);
        addCrowds(CROWDS_WITHOUT_FAULTS);
        return clients + 1;
    }

    /** All clients, and another one, ask at the same moments. */
    private void addCrowds(int[][] times) {
        Step.Ask[] asks = Step.Ask.values();
        for (int crowd = 0; crowd < times.length; crowd++) {
            long at = (long) times[crowd][0] + random.nextInt(times[crowd][1] - times[crowd][0]);
            for (int client = 0; client <= clients; client++) {
                for (int i = 0; i < ASKS_OF_A_CROWD; i++) {
                    steps.add(work(
                            client,
                            1 + crowd,
                            asks[random.nextInt(asks.length)],
                            random.nextInt(3) == 0 ? "b" : "a",
                            i == 0 ? at : random.nextInt(3),
                            random.nextInt(10),
                            lease,
                            random.nextInt(4) > 0));
                }
            }
        }
    }

    private Step.Work work(
            int client,
            int worker,
            Step.Ask ask,
            String lock,
            long think,
            long hold,
            long leaseMillis,
            boolean renewed) {
        return new Step.Work(
                next++,
                client,
                FIRST_WORKER + worker,
                ask,
                lock,
                // Within a millisecond, clients meet at each server in another order.
                think * MILLI + random.nextInt((int) MILLI),
                hold * MILLI,
                (100 + random.nextInt(2_000)) * MILLI,
                leaseMillis,
                renewed,
                false);
    }
}
