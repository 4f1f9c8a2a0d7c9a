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
import redis.clients.jedis.RedisClient;

/** A process that fills a buffer, or empties it. */
final class BufferProcess implements AutoCloseable {
    static final String LOCK = "buffer";
    private static final Duration LEASE = Duration.ofSeconds(2);

    final String owner;
    private final ChildJvm child;

    private BufferProcess(String owner, ChildJvm child) {
        this.owner = owner;
        this.child = child;
    }

    /** Starts a process that goes on with the items of a producer where the one before it has ended. */
    static BufferProcess producing(String uri, int capacity, int producer, long items) {
        return start(uri, capacity, "producer-" + producer + "-" + System.nanoTime(), "produce", producer, items);
    }

    static BufferProcess consuming(String uri, int capacity) {
        return start(uri, capacity, "consumer-" + System.nanoTime(), "consume", 0, 0);
    }

    private static BufferProcess start(String uri, int capacity, String owner, String what, int producer, long items) {
        List<String> arguments =
                List.of(uri, Integer.toString(capacity), owner, what, Integer.toString(producer), Long.toString(items));
        return new BufferProcess(
                owner,
                ChildJvm.start(
                        List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1"),
                        BufferProcess.class,
                        arguments,
                        line -> {},
                        () -> {}));
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
        ParentJvm.ofThisProcess().follow(line -> {});
        try (DistributedLockFactory locks = locks(args[0]);
                RedisClient redis = SharedItems.connect(args[0])) {
            DistributedLock lock = locks.getLock(LOCK);
            SharedItems items = new SharedItems(redis, lock, Integer.parseInt(args[1]), args[2]);
            BoundedBuffer buffer = new BoundedBuffer(lock, items);
            if (args[3].equals("consume")) {
                consume(buffer, items);
            } else {
                produce(buffer, items, Integer.parseInt(args[4]), Long.parseLong(args[5]));
            }
        }
    }

    private static void produce(BoundedBuffer buffer, SharedItems items, int producer, long count)
            throws InterruptedException {
        for (long number = items.produced(producer); number < count; number = items.produced(producer)) {
            try {
                for (; number < count; number++) {
                    buffer.put(producer + ":" + number);
                }
            } catch (LeaseLostException | LockBackendException | SharedItems.LateException e) {
                // The machine stood still for longer than a lease; the store knows whether the item is in.
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

    /** Ends the process as {@code kill -9} does. */
    void kill() {
        child.close();
    }

    @Override
    public void close() {
        kill();
    }
}
