// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockConfig;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** A JVM of its own with many threads that read again and again, until it is told to stop. */
final class ReaderProcess implements AutoCloseable {
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final ChildJvm child;

    private ReaderProcess(List<String> arguments) {
        child = ChildJvm.start(
                System.getProperty("java.class.path"),
                List.of("-Xmx128m"),
                ReaderProcess.class,
                arguments,
                said::add,
                () -> said.add("nothing"));
    }

    static ReaderProcess start(String uri, String name, int threads) {
        return new ReaderProcess(List.of(uri, name, Integer.toString(threads)));
    }

    public static void main(String[] args) {
        ParentJvm parent = ParentJvm.ofThisProcess();
        AtomicBoolean over = new AtomicBoolean();
        int threads = Integer.parseInt(args[2]);
        LongAdder reads = new LongAdder();
        LongAdder inside = new LongAdder();
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(args[0])
                        .commandTimeout(Fixture.PATIENCE)
                        .build());
        DistributedReadWriteLock lock = factory.getReadWriteLock(args[1]);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                boolean first = true;
                while (!over.get()) {
                    lock.readLock().lock();
                    inside.increment();
                    if (first) {
                        // All read at once before any goes on.
                        while (inside.sum() < threads && !over.get()) {
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                        }
                        first = false;
                    }
                    reads.increment();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    lock.readLock().unlock();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        while (inside.sum() < threads) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        parent.say("all read");
        parent.follow(line -> {
            parent.say("reads " + reads.sum());
            over.set(true);
        });
        while (true) {
            LockSupport.park();
        }
    }

    String next() throws InterruptedException {
        String line = said.poll(10, TimeUnit.MINUTES);
        if (line == null || line.equals("nothing")) {
            throw child.failed("said " + line);
        }
        return line;
    }

    /** Tells it to stop, and returns how often it has read. */
    long stop() throws InterruptedException {
        child.say("stop");
        return Long.parseLong(next().substring("reads ".length()));
    }

    @Override
    public void close() {
        child.close();
    }
}
