// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import redis.clients.jedis.RedisClient;

/** A process that fills a buffer, or empties it. */
final class BufferProcess implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);
    private static final String LOCK = "buffer";
    private static final String PRODUCE = "produce";
    private static final String CONSUME = "consume";
    private static final String CONSUME_WHEN_TOLD = "consume-when-told";

    final String owner;
    private final ChildJvm child;
    private final CountDownLatch lines;

    private BufferProcess(String owner, ChildJvm child, CountDownLatch lines) {
        this.owner = owner;
        this.child = child;
        this.lines = lines;
    }

    /** What all processes of a buffer have in common. */
    record Setting(String uri, int capacity, boolean fenced) {
        SharedItems items(RedisClient redis, DistributedLockFactory locks, String owner) {
            return items(redis, locks.getLock(LOCK), owner);
        }

        private SharedItems items(RedisClient redis, DistributedLock lock, String owner) {
            return new SharedItems(redis, lock, capacity, fenced, owner);
        }
    }

    /** Starts a process that goes on with the items of a producer where the one before it has ended. */
    static BufferProcess producing(Setting setting, int producer, long items) {
        return start(setting, PRODUCE, "producer-" + producer, producer, items);
    }

    static BufferProcess consuming(Setting setting) {
        return start(setting, CONSUME, "consumer", 0, 0);
    }

    /** Starts a consumer that reports when it has found its first item, and removes that when it is told to. */
    static BufferProcess consumingWhenTold(Setting setting) {
        return start(setting, CONSUME_WHEN_TOLD, "consumer", 0, 0);
    }

    private static BufferProcess start(Setting setting, String what, String name, int producer, long items) {
        String owner = name + "-" + System.nanoTime();
        List<String> arguments = List.of(
                setting.uri,
                Integer.toString(setting.capacity),
                Boolean.toString(setting.fenced),
                owner,
                what,
                Integer.toString(producer),
                Long.toString(items));
        CountDownLatch lines = new CountDownLatch(1);
        return new BufferProcess(
                owner,
                ChildJvm.start(
                        List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                        BufferProcess.class,
                        arguments,
                        line -> lines.countDown(),
                        () -> {}),
                lines);
    }

    static DistributedLockFactory locks(String uri) {
        return DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(uri)
                        .commandTimeout(Duration.ofSeconds(20))
                        .lockDefaults(LockOptions.builder().lease(LEASE).build())
                        .build());
    }

    public static void main(String[] args) throws InterruptedException {
        ParentJvm parent = ParentJvm.ofThisProcess();
        CountDownLatch told = new CountDownLatch(1);
        parent.follow(line -> told.countDown());
        Setting setting = new Setting(args[0], Integer.parseInt(args[1]), Boolean.parseBoolean(args[2]));
        try (DistributedLockFactory locks = locks(setting.uri);
                RedisClient redis = SharedItems.connect(setting.uri)) {
            DistributedLock lock = locks.getLock(LOCK);
            SharedItems items = setting.items(redis, lock, args[3]);
            switch (args[4]) {
                case PRODUCE ->
                    produce(new BoundedBuffer(lock, items), items, Integer.parseInt(args[5]), Long.parseLong(args[6]));
                case CONSUME -> consume(new BoundedBuffer(lock, items), items);
                case CONSUME_WHEN_TOLD ->
                    consume(new BoundedBuffer(lock, new ItemsWhenTold(items, parent, told)), items);
                default -> throw new IllegalArgumentException(args[4]);
            }
        }
    }

    private static void produce(BoundedBuffer buffer, SharedItems items, int producer, long count)
            throws InterruptedException {
        for (long number = items.added(producer); number < count; number = items.added(producer)) {
            try {
                for (; number < count; number++) {
                    buffer.put(producer + ":" + number);
                }
            } catch (LeaseLostException | LockBackendException | SharedItems.LateException e) {
                // The process stood still for longer than a lease; the store knows whether the item is in.
            }
        }
    }

    private static void consume(BoundedBuffer buffer, SharedItems items) throws InterruptedException {
        while (true) {
            try {
                items.done(buffer.take());
            } catch (LeaseLostException | LockBackendException | SharedItems.LateException e) {
                // Likewise; the store knows whether an item was taken.
                items.inOwnHands().forEach(items::done);
            }
        }
    }

    /** Items that are removed when the parent process says so. */
    private record ItemsWhenTold(SharedItems items, ParentJvm parent, CountDownLatch told) implements Items {
        @Override
        public boolean isFull() {
            return items.isFull();
        }

        @Override
        public boolean isEmpty() {
            return items.isEmpty();
        }

        @Override
        public void add(String item) {
            items.add(item);
        }

        @Override
        public String remove() {
            parent.say("found an item");
            try {
                told.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return items.remove();
        }
    }

    /** Waits until the consumer has found its first item. */
    void awaitFind() throws InterruptedException {
        lines.await();
    }

    /** Tells the consumer to remove what it has found. */
    void tell() {
        child.say("remove it");
    }

    boolean isAlive() {
        return child.isAlive();
    }

    ChildException failed() {
        return new ChildException(child.failed("ended"));
    }

    /** A process that has ended too soon. */
    static final class ChildException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ChildException(Throwable cause) {
            super(cause);
        }
    }

    /** Stops the process as {@code kill -STOP} does. */
    void stop() {
        child.stop();
    }

    /** Lets a stopped process go on. */
    void goOn() {
        child.goOn();
    }

    /** Ends the process, stopped or not, as {@code kill -9} does. */
    void kill() {
        child.close();
    }

    @Override
    public void close() {
        kill();
    }
}
