// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The plan of a seed.
 *
 * @param seed the seed
 * @param dropped the assumptions that do not hold
 * @param clients how many clients there are
 * @param steps the steps of clients, and the faults
 */
public record Plan(long seed, Set<Assumption> dropped, int clients, List<Step> steps) {
    /** The name of the read/write lock, which no step of another kind has. */
    public static final String SHARED = "r";

    /** The names of the locks over several, which no step of another kind has. */
    public static final List<String> SEVERAL = List.of("x", "y", "z");

    private static final long MILLI = 1_000_000;
    private static final long SHORTEST_LEASE = 500;
    private static final long LEASE_STEP = 500;

    /** In one of so many seeds, the leases of clients differ. */
    private static final int DIFFERENT_LEASES_EACH = 16;

    private static final int DIFFERENT_LEASES = 4;

    /** Makes the plan of a seed for a strategy, some of whose assumptions are dropped. */
    public static Plan of(long seed, StrategyProfile profile, Set<Assumption> dropped) {
        Set<Assumption> assumed = profile.assumptions();
        Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        Random ensuring = new Random(~seed);
        List<Step> steps = new ArrayList<>();
        int clients = 1 + random.nextInt(3);
        List<String> locks = random.nextInt(4) == 0 ? List.of("a", "b") : List.of("a");
        long lease = SHORTEST_LEASE + random.nextInt(4) * LEASE_STEP;
        for (int client = 0; client < clients; client++) {
            int workers = 1 + random.nextInt(clients == 1 ? 3 : 2);
            for (int worker = 0; worker < workers; worker++) {
                int works = 1 + random.nextInt(4);
                for (int i = 0; i < works; i++) {
                    boolean renewed = random.nextInt(4) > 0;
                    Step.Ask[] asks = Step.Ask.values();
                    steps.add(new Step.Work(
                            steps.size(),
                            client,
                            worker,
                            asks[random.nextInt(asks.length)],
                            locks.get(random.nextInt(locks.size())),
                            random.nextInt(random.nextInt(3) == 0 ? 1500 : 50) * MILLI,
                            random.nextInt(random.nextInt(3) == 0 ? (int) lease * 2 : 60) * MILLI,
                            random.nextInt(random.nextInt(2) == 0 ? 3000 : 100) * MILLI,
                            leaseOf(client, seed, lease),
                            renewed,
                            ensuring.nextInt(4) == 0));
                }
            }
            if (random.nextInt(12) == 0) {
                steps.add(new Step.Close(steps.size(), client, random.nextInt(3000) * MILLI));
            }
        }
        int faults = random.nextInt(7);
        List<FaultKind> kinds = FaultKind.possible(assumed, dropped);
        for (int i = 0; i < faults; i++) {
            steps.add(fault(
                    steps.size(), kinds.get(random.nextInt(kinds.size())), random.nextInt(clients), lease, random));
        }
        // A fault that breaks a dropped assumption happens in each plan, since the run is meant to show its effect.
        for (FaultKind kind : kinds) {
            if (kind.breaksOneOf(dropped)) {
                steps.add(fault(steps.size(), kind, random.nextInt(clients), lease, random));
            }
        }
        int all = clients;
        if (dropped.isEmpty()) {
            all = profile.supports(Capability.CONDITIONS)
                    ? ConditionScene.add(steps, seed, clients, lease)
                    : Scenes.add(steps, seed, clients, lease, assumed);
            if (profile.supports(Capability.READ_WRITE_FAIR)) {
                // No seed has both scenes.
                all = Math.max(all, SharingScene.add(steps, seed, clients, lease));
            }
        }
        if (!dropped.contains(Assumption.BOUNDED_CLOCK_RATES)) {
            hideNoSuspension(steps);
        }
        // As in beginsWithCloseClocks.
        if (dropped.isEmpty() && assumed.contains(Assumption.MAJORITY_UP) && someForget(steps)) {
            steps.removeIf(step -> step instanceof Step.Fault fault && fault.kind() == FaultKind.WALL_STEP);
        }
        return new Plan(seed, dropped, all, List.copyOf(steps));
    }

    /** The leases of clients differ in some seeds, in which no scene counts on one lease. */
    private static long leaseOf(int client, long seed, long lease) {
        return Math.floorMod(seed, DIFFERENT_LEASES_EACH) == DIFFERENT_LEASES
                ? Math.max(SHORTEST_LEASE, lease - client * LEASE_STEP)
                : lease;
    }

    /**
     * A wall clock that is set back while its machine is suspended keeps the client from noticing that, as clocks
     * without rates would.
     */
    private static void hideNoSuspension(List<Step> steps) {
        Set<Integer> suspended = new HashSet<>();
        for (Step step : steps) {
            if (step instanceof Step.Fault fault && fault.kind() == FaultKind.SUSPEND) {
                suspended.add(fault.client());
            }
        }
        steps.removeIf(step -> step instanceof Step.Fault fault
                && fault.kind() == FaultKind.WALL_STEP
                && suspended.contains(fault.client()));
    }

    private static Step.Fault fault(int number, FaultKind kind, int client, long lease, Random random) {
        long at = random.nextInt(random.nextBoolean() ? 400 : 3000) * MILLI;
        long nanos = (1 + random.nextInt(random.nextBoolean() ? (int) lease * 2 : 200)) * MILLI;
        return new Step.Fault(number, kind, client, at, nanos, random.nextInt(1 << 16));
    }

    /**
     * Returns whether clocks begin close to each other, with several servers: in a scene, and where faults may make
     * most of them forget their counters. Tokens grow after that only if no clock was ahead by more than the servers
     * stand aside.
     */
    public boolean beginsWithCloseClocks() {
        return dropped.isEmpty() && (Scenes.isIn(seed) || someForget(steps));
    }

    private static boolean someForget(List<Step> steps) {
        return steps.stream()
                .anyMatch(
                        step -> step instanceof Step.Fault fault && fault.kind().forgets());
    }

    /** Its change of the list of servers, if there is one. */
    public Optional<Step.Change> change() {
        return steps.stream()
                .filter(Step.Change.class::isInstance)
                .map(Step.Change.class::cast)
                .findFirst();
    }

    /** Returns whether a client trusts the servers. */
    public boolean trusts(int client) {
        return steps.stream().anyMatch(step -> step instanceof Step.Trust trust && trust.client() == client);
    }

    /** The waits for conditions. */
    public List<Step.Await> waits() {
        return steps.stream()
                .filter(Step.Await.class::isInstance)
                .map(Step.Await.class::cast)
                .toList();
    }

    /** Returns whether clients read and write under a read/write lock. */
    public boolean hasSides() {
        return steps.stream().anyMatch(Step.Side.class::isInstance);
    }

    /** Returns whether clients take locks over several names. */
    public boolean hasSeveral() {
        return steps.stream().anyMatch(Step.Several.class::isInstance);
    }

    /** Returns whether nothing goes wrong. */
    public boolean isFaultless() {
        return steps.stream().noneMatch(Step.Fault.class::isInstance);
    }

    /** Returns whether a client closes its factory before all have done their steps. */
    public boolean closes() {
        return steps.stream().anyMatch(Step.Close.class::isInstance);
    }

    /** Its faults of one kind. */
    public Stream<Step.Fault> faults(FaultKind kind) {
        return steps.stream()
                .filter(Step.Fault.class::isInstance)
                .map(Step.Fault.class::cast)
                .filter(fault -> fault.kind() == kind);
    }

    /** The same plan with some of its steps only. */
    public Plan only(Set<Integer> numbers) {
        return new Plan(
                seed,
                dropped,
                clients,
                steps.stream().filter(step -> numbers.contains(step.number())).toList());
    }
}
