// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import redis.clients.jedis.RedisClient;

/** The buffer among threads, and the same buffer among processes of which some are killed or stand still. */
class BoundedBufferTest {
    private static final int CAPACITY = 10;

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

    @Test
    @Tag("deep")
    void processesShareTheBufferAndLoseNothingButWhatADeadConsumerHasInItsHands(TestReporter reporter) {
        share(20_000, 10, reporter);
    }

    @Test
    @Tag("nightly")
    void processesShareAMillionItems(TestReporter reporter) {
        share(Long.getLong("interlock.buffer.items", 1_000_000), 100, reporter);
    }

    private static void share(long items, int faults, TestReporter reporter) {
        try (RedisServer server = RedisServer.start();
                BufferRun run = new BufferRun(
                        new BufferProcess.Setting(server.uri(), CAPACITY, true),
                        items / 2,
                        faults,
                        Long.getLong("interlock.buffer.seed", 1))) {
            reporter.publishEntry("interlock.buffer", run.share());
        }
    }

    @Test
    @Tag("deep")
    void theStoreRefusesAConsumerThatStoodStillForLongerThanItsLease() throws InterruptedException {
        try (LateConsumer late = new LateConsumer(true)) {
            late.removes();
            late.await("the late removal is refused", items -> items.count("refused writes") > 0);
            late.await("nothing is in anybody's hands", items -> items.inHands().isEmpty());
            assertThat(late.items.count("taken twice")).isZero();
            assertThat(late.items.count("done twice")).isZero();
        }
    }

    @Test
    @Tag("deep")
    void aStoreThatIgnoresTokensLetsTheSameConsumerTakeAnItemTwice() throws InterruptedException {
        try (LateConsumer late = new LateConsumer(false)) {
            late.removes();
            late.await("an item is done twice", items -> items.count("done twice") > 0);
            assertThat(late.items.count("taken twice")).isPositive();
        }
    }

    /** A consumer that stands still between its look and its removal, while another one empties the buffer. */
    private static final class LateConsumer implements AutoCloseable {
        private static final int ITEMS = 3;

        private final RedisServer server = RedisServer.start();
        private final BufferProcess.Setting setting;
        private final RedisClient redis;
        private final DistributedLockFactory locks;
        private final List<BufferProcess> processes = new ArrayList<>();
        final SharedItems items;

        LateConsumer(boolean fenced) {
            setting = new BufferProcess.Setting(server.uri(), CAPACITY, fenced);
            redis = SharedItems.connect(server.uri());
            locks = BufferProcess.locks(server.uri());
            items = setting.items(redis, locks, "the test");
        }

        /** Lets the consumer look, stand still, and remove what it has found when the others have done it. */
        void removes() throws InterruptedException {
            BufferProcess consumer = BufferProcess.consumingWhenTold(setting);
            processes.add(consumer);
            processes.add(BufferProcess.producing(setting, 0, ITEMS));
            consumer.awaitFind();
            consumer.stop();
            processes.add(BufferProcess.consuming(setting));
            await("the others have done all items", shared -> shared.done(0) == ITEMS);
            consumer.tell();
            consumer.goOn();
        }

        void await(String what, BufferRun.Fact fact) {
            BufferRun.await(what, items, fact, () -> {});
        }

        @Override
        public void close() {
            processes.forEach(BufferProcess::close);
            locks.close();
            redis.close();
            server.close();
        }
    }
}
