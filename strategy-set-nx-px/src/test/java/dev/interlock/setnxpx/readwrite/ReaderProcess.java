// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM of its own with many threads that read. When told to {@code read}, all of them take the read lock and keep it;
 * when told to {@code give back}, they unlock; when told to {@code go on}, they read again and again until the stop.
 */
final class ReaderProcess implements AutoCloseable {
    /** The key that the writer sets while it writes. */
    static final String WRITING = "somebody writes";

    /**
     * What happened in this process.
     *
     * @param reads how often its threads have read since they were told to go on
     * @param writersSeen how often a thread saw the writer's mark while it read
     * @param lost how many leases were lost
     */
    record Account(long reads, long writersSeen, long lost) {
        private static Account parse(String line) {
            String[] numbers = line.split(" ", -1);
            return new Account(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
        }

        private String text() {
            return reads + " " + writersSeen + " " + lost;
        }
    }

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

    static ReaderProcess start(String uri, String name, int threads, Duration lease) {
        return new ReaderProcess(List.of(uri, name, Integer.toString(threads), lease.toString()));
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ParentJvm parent = ParentJvm.ofThisProcess();
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(args[0])
                        .commandTimeout(Fixture.PATIENCE)
                        .lockDefaults(Fixture.lease(Duration.parse(args[3])))
                        .build());
        // The first lease must not be spent on making the connection.
        DistributedLock warmUp = factory.getReadWriteLock("warm-up", Fixture.lease(Duration.ofMinutes(5)))
                .readLock();
        warmUp.lock();
        warmUp.unlock();
        URI uri = URI.create(args[0]);
        Readers readers = new Readers(
                factory.getReadWriteLock(args[1]).readLock(),
                new RespConnection(uri.getHost(), uri.getPort(), Math.toIntExact(Fixture.PATIENCE.toMillis())),
                Integer.parseInt(args[2]));
        readers.start();
        parent.say("connected");
        parent.follow(line -> {
            switch (line) {
                case "read" -> readers.mayRead.countDown();
                case "give back" -> readers.mayGiveBack.countDown();
                case "go on" -> readers.mayGoOn.countDown();
                case "account" -> parent.say(readers.account().text());
                default -> {
                    parent.say(readers.account().text());
                    readers.over.set(true);
                }
            }
        });
        readers.allRead.await();
        parent.say("all read");
        readers.allGaveBack.await();
        parent.say("all given back");
        while (true) {
            LockSupport.park();
        }
    }

    /** The threads of this process. */
    private static final class Readers {
        private final DistributedLock lock;
        private final RespConnection connection;
        private final int threads;
        final CountDownLatch mayRead = new CountDownLatch(1);
        final CountDownLatch mayGiveBack = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final CountDownLatch allRead;
        final CountDownLatch allGaveBack;
        final AtomicBoolean over = new AtomicBoolean();
        private final LongAdder reads = new LongAdder();
        private final LongAdder writersSeen = new LongAdder();
        private final LongAdder lost = new LongAdder();

        Readers(DistributedLock lock, RespConnection connection, int threads) {
            this.lock = lock;
            this.connection = connection;
            this.threads = threads;
            allRead = new CountDownLatch(threads);
            allGaveBack = new CountDownLatch(threads);
        }

        void start() {
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(
                        () -> {
                            try {
                                read();
                            } catch (InterruptedException e) {
                                throw new AssertionError("nobody interrupts readers", e);
                            }
                        },
                        "reader " + i);
                thread.setDaemon(true);
                thread.start();
            }
        }

        private void read() throws InterruptedException {
            mayRead.await();
            lock.lock();
            allRead.countDown();
            mayGiveBack.await();
            giveBack();
            allGaveBack.countDown();
            mayGoOn.await();
            while (!over.get()) {
                lock.lock();
                lookForAWriter();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                giveBack();
                reads.increment();
            }
        }

        private void giveBack() {
            lookForAWriter();
            try {
                lock.unlock();
            } catch (LeaseLostException e) {
                lost.increment();
            }
        }

        private void lookForAWriter() {
            synchronized (connection) {
                try {
                    if (connection.call("GET", WRITING) != null) {
                        writersSeen.increment();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        Account account() {
            return new Account(reads.sum(), writersSeen.sum(), lost.sum());
        }
    }

    /** Returns the next line that the process writes. */
    String next() throws InterruptedException {
        String line = said.poll(10, TimeUnit.MINUTES);
        if (line == null || line.equals("nothing")) {
            throw child.failed("said " + line);
        }
        return line;
    }

    void say(String command) {
        child.say(command);
    }

    /** Returns its account so far. */
    Account account() throws InterruptedException {
        child.say("account");
        return Account.parse(next());
    }

    /** Tells it to stop, and returns its account. */
    Account stop() throws InterruptedException {
        child.say("stop");
        return Account.parse(next());
    }

    /** Kills the process. */
    @Override
    public void close() {
        child.close();
    }
}
