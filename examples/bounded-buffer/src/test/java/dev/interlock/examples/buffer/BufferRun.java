// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.examples.buffer.BufferProcess.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/**
 * Two producers and two consumers that share a buffer, each in a JVM of its own. Faults hit some of them when so many
 * items have been taken: two faults of three kill them with {@code kill -9} and start others in their place, the third
 * stops them for longer than a lease. The seed determines the numbers of items, the kinds and whom a fault hits. It
 * does not determine where in the code of the buffer a process is hit.
 */
final class BufferRun implements AutoCloseable {
    private static final int EACH = 2;
    private static final Duration STANDSTILL = BufferProcess.LEASE.plusSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long POLL_NANOS = Duration.ofMillis(100).toNanos();

    private final Setting setting;
    private final long itemsEach;
    private final long seed;
    private final List<Fault> faults;
    private final RedisClient redis;
    private final DistributedLockFactory locks;
    private final SharedItems items;
    private final List<BufferProcess> producers = new ArrayList<>();
    private final List<BufferProcess> consumers = new ArrayList<>();
    private final Set<String> killedConsumers = new HashSet<>();
    private int killedProducers;
    private int stopped;

    /** Hits the processes whose bits are set: producers first, then consumers. */
    private record Fault(long taken, boolean kills, int processes) {
        boolean hits(int process) {
            return (processes & 1 << process) != 0;
        }
    }

    interface Fact {
        boolean holds(SharedItems items);
    }

    BufferRun(Setting setting, long itemsEach, int faults, long seed) {
        this.setting = setting;
        this.itemsEach = itemsEach;
        this.seed = seed;
        this.faults = faults(faults, seed);
        redis = SharedItems.connect(setting.uri());
        locks = BufferProcess.locks(setting.uri());
        items = setting.items(redis, locks, "the test");
    }

    /** One fault in each of so many equal parts of the run but the last, which is free of faults. */
    private List<Fault> faults(int count, long seed) {
        Random random = new Random(seed);
        long part = EACH * itemsEach / (count + 1);
        List<Fault> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new Fault(
                    part * i + (long) (part * random.nextDouble()),
                    random.nextInt(3) > 0,
                    1 + random.nextInt((1 << 2 * EACH) - 1)));
        }
        return all;
    }

    /** Runs until each item is accounted for, and returns what happened. */
    String share() {
        long startNanos = System.nanoTime();
        for (int i = 0; i < EACH; i++) {
            producers.add(producer(i));
            consumers.add(BufferProcess.consuming(setting));
        }
        for (Fault fault : faults) {
            await(fault.taken + " items are taken", ignored -> taken() >= fault.taken);
            if (fault.kills) {
                kill(fault);
            } else {
                stop(fault);
            }
            System.out.printf(
                    "%,d items in %s; %s%n", taken(), Duration.ofNanos(System.nanoTime() - startNanos), fault);
        }
        await(
                "all items are added and taken out",
                ignored -> items.added(0) + items.added(1) == EACH * itemsEach && items.size() == 0);
        await(
                "living consumers have done what they took",
                ignored -> killedConsumers.containsAll(items.inHands().values()));
        Duration time = Duration.ofNanos(System.nanoTime() - startNanos);
        String story = story(time);
        System.out.println(story);
        long lost = items.inHands().size();
        assertThat(taken()).as("items that were taken").isEqualTo(EACH * itemsEach);
        assertThat(items.done(0) + items.done(1)).as("items that are done").isEqualTo(EACH * itemsEach - lost);
        assertThat(items.inHands().values())
                .as("who has items in its hands: a dead consumer has at most one")
                .doesNotHaveDuplicates();
        for (String account : List.of("added", "taken", "done")) {
            assertThat(items.count(account + " twice")).as(account + " twice").isZero();
        }
        assertThat(items.count("found full")).as("waits for room").isPositive();
        assertThat(items.count("found empty")).as("waits for an item").isPositive();
        return story;
    }

    private String story(Duration time) {
        return "%,d items in %,d s, %,d a second, seed %d; killed %d producers and %d consumers, stopped %d processes;"
                        .formatted(
                                EACH * itemsEach,
                                time.toSeconds(),
                                EACH * itemsEach * 1000 / time.toMillis(),
                                seed,
                                killedProducers,
                                killedConsumers.size(),
                                stopped)
                + " refused %,d reads and %,d writes; found full %,d times, empty %,d times; %,d in dead hands"
                        .formatted(
                                items.count("refused reads"),
                                items.count("refused writes"),
                                items.count("found full"),
                                items.count("found empty"),
                                items.inHands().size());
    }

    private BufferProcess producer(int number) {
        return BufferProcess.producing(setting, number, itemsEach);
    }

    private long taken() {
        return items.taken(0) + items.taken(1);
    }

    private void kill(Fault fault) {
        for (int i = 0; i < EACH; i++) {
            if (fault.hits(i)) {
                producers.get(i).kill();
                killedProducers++;
            }
            if (fault.hits(EACH + i)) {
                consumers.get(i).kill();
                killedConsumers.add(consumers.get(i).owner);
            }
        }
        for (int i = 0; i < EACH; i++) {
            if (fault.hits(i)) {
                producers.set(i, producer(i));
            }
            if (fault.hits(EACH + i)) {
                consumers.set(i, BufferProcess.consuming(setting));
            }
        }
    }

    private void stop(Fault fault) {
        List<BufferProcess> hit = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            if (fault.hits(i) && producers.get(i).isAlive()) {
                hit.add(producers.get(i));
            }
            if (fault.hits(EACH + i)) {
                hit.add(consumers.get(i));
            }
        }
        hit.forEach(BufferProcess::stop);
        long goOnNanos = System.nanoTime() + STANDSTILL.toNanos();
        await("the time of a standstill is over", ignored -> System.nanoTime() - goOnNanos >= 0);
        hit.forEach(BufferProcess::goOn);
        stopped += hit.size();
    }

    private void await(String what, Fact fact) {
        await(what, items, fact, this::examine);
    }

    /** What is true all the time. */
    private void examine() {
        consumers.stream().filter(consumer -> !consumer.isAlive()).forEach(consumer -> {
            throw consumer.failed();
        });
        for (int i = 0; i < EACH; i++) {
            if (!producers.get(i).isAlive() && items.added(i) < itemsEach) {
                throw producers.get(i).failed();
            }
        }
        assertThat(items.size()).as("items in the buffer").isBetween(0L, (long) setting.capacity());
        assertThat(items.inHands().values())
                .as("who has items in its hands: a consumer has at most one")
                .doesNotHaveDuplicates();
    }

    /** Waits for as long as items are added or taken at all. */
    static void await(String what, SharedItems items, Fact fact, Runnable examine) {
        long before = -1;
        long movedNanos = System.nanoTime();
        while (!fact.holds(items)) {
            examine.run();
            long now = items.moves();
            if (now != before) {
                before = now;
                movedNanos = System.nanoTime();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - movedNanos))
                    .as("no item moves, and not yet: %s", what)
                    .isLessThan(PATIENCE);
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Override
    public void close() {
        producers.forEach(BufferProcess::close);
        consumers.forEach(BufferProcess::close);
        locks.close();
        redis.close();
    }
}
