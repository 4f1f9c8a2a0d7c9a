// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import redis.clients.jedis.RedisClient;

/** The buffer among threads, and the same buffer among processes of which some are killed. */
class BoundedBufferTest {
    private static final int CAPACITY = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void threadsShareTheBufferByALockOfTheJdk() throws InterruptedException {
        Queue<String> queue = new ArrayDeque<>();
        BoundedBuffer buffer = new BoundedBuffer(new ReentrantLock(), new Items() {
            @Override
            public boolean isFull() {
                return queue.size() == CAPACITY;
            }

            @Override
            public boolean isEmpty() {
                return queue.isEmpty();
            }

            @Override
            public void add(String item) {
                queue.add(item);
            }

            @Override
            public String remove() {
                return queue.remove();
            }
        });
        Queue<String> taken = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int producer = i;
            threads.add(new Thread(() -> repeat(1000, number -> buffer.put(producer + ":" + number))));
            threads.add(new Thread(() -> repeat(1000, number -> taken.add(buffer.take()))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(taken).hasSize(2000).doesNotHaveDuplicates();
    }

    private interface Step {
        void run(int number) throws InterruptedException;
    }

    private static void repeat(int times, Step step) {
        try {
            for (int i = 0; i < times; i++) {
                step.run(i);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Tag("deep")
    @Test
    void processesShareTheBufferAndLoseNothingButWhatADeadConsumerHasInItsHands() {
        share(200, CAPACITY, 1, PATIENCE);
    }

    @Test
    @Tag("deep")
    void processesShareTheBufferForLonger() {
        share(5_000, CAPACITY, 1, PATIENCE.multipliedBy(2));
    }

    @Test
    @EnabledIfSystemProperty(
            named = "interlock.buffer.items",
            matches = "\\d+",
            disabledReason = "takes as long as it is told")
    void processesShareTheBufferForAsLongAsTold() {
        share(Long.getLong("interlock.buffer.items") / 2, 1_000, 9, Duration.ofHours(3));
    }

    /** Two producers and two consumers; every so often one of each is killed, and another one takes its place. */
    private static void share(long itemsEach, int capacity, int kills, Duration patience) {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = SharedItems.connect(server.uri());
                DistributedLockFactory locks = BufferProcess.locks(server.uri())) {
            SharedItems items = new SharedItems(redis, locks.getLock(BufferProcess.LOCK), capacity, "the test");
            Processes processes = new Processes(server.uri(), capacity, itemsEach);
            try (processes) {
                processes.producers.add(processes.producer(0));
                processes.producers.add(processes.producer(1));
                processes.consumers.add(BufferProcess.consuming(server.uri(), capacity));
                processes.consumers.add(BufferProcess.consuming(server.uri(), capacity));
                long startNanos = System.nanoTime();
                for (int kill = 0; kill < kills; kill++) {
                    long soMany = 2 * itemsEach * (kill + 1) / (kills + 1);
                    processes.await(soMany + " items are done", patience, () -> done(items) >= soMany);
                    System.out.println(soMany + " items in " + Duration.ofNanos(System.nanoTime() - startNanos));
                    processes.killOneOfEach(kill % 2);
                }
                processes.await("all items are accounted for", patience, () -> {
                    long lost = items.owners().stream()
                            .filter(processes.killed::contains)
                            .count();
                    return done(items) + lost >= 2 * itemsEach;
                });
                System.out.println(2 * itemsEach + " items in " + Duration.ofNanos(System.nanoTime() - startNanos));
                assertThat(items.twice()).as("items that were done twice").isZero();
                assertThat(items.produced(0)).isEqualTo(itemsEach);
                assertThat(items.produced(1)).isEqualTo(itemsEach);
                assertThat(items.owners())
                        .as("who has items in its hands: a dead consumer has at most one")
                        .doesNotHaveDuplicates()
                        .allMatch(processes.killed::contains);
            }
        }
    }

    private static long done(SharedItems items) {
        return items.done(0) + items.done(1);
    }

    private interface Fact {
        boolean holds();
    }

    private static final class Processes implements AutoCloseable {
        final List<BufferProcess> producers = new ArrayList<>();
        final List<BufferProcess> consumers = new ArrayList<>();
        final Set<String> killed = new HashSet<>();
        private final String uri;
        private final int capacity;
        private final long itemsEach;

        Processes(String uri, int capacity, long itemsEach) {
            this.uri = uri;
            this.capacity = capacity;
            this.itemsEach = itemsEach;
        }

        BufferProcess producer(int number) {
            return BufferProcess.producing(uri, capacity, number, itemsEach);
        }

        void killOneOfEach(int number) {
            producers.get(number).kill();
            consumers.get(number).kill();
            killed.add(consumers.get(number).owner);
            producers.set(number, producer(number));
            consumers.set(number, BufferProcess.consuming(uri, capacity));
        }

        void await(String what, Duration patience, Fact fact) {
            long until = System.nanoTime() + patience.toNanos();
            while (!fact.holds()) {
                assertThat(System.nanoTime() - until)
                        .as("not in %s: %s", patience, what)
                        .isNegative();
                for (BufferProcess consumer : consumers) {
                    if (!consumer.isAlive()) {
                        throw consumer.failed();
                    }
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }

        @Override
        public void close() {
            producers.forEach(BufferProcess::close);
            consumers.forEach(BufferProcess::close);
        }
    }
}
