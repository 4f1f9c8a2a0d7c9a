// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.redlock.Fixture;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** A fresh JVM with the default options, in which many threads lock and unlock names of their own. */
final class ThrottledClient implements AutoCloseable {
    static final int THREADS = 64;

    private static final String READY = "ready";
    private static final String FAILURE = "failure ";
    private static final String PAIRS = "pairs ";
    private static final String ENDED = "ended";

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final ChildJvm child;
    private long longestStandNanos;

    /**
     * The numbers of one client.
     *
     * @param pairs how often a thread locked and unlocked
     * @param failures the exceptions that its threads met
     * @param starved whether others took from the client what it was to have: its threads had less time of processors
     *     than the planned share of one, or it once stood still for more than twice as long as planned
     */
    record Outcome(long pairs, List<String> failures, boolean starved) {}

    private ThrottledClient(String endpoints, String client) {
        child = ChildJvm.start(
                List.of(), ThrottledClient.class, List.of(endpoints, client), said::add, () -> said.add(ENDED));
    }

    static ThrottledClient start(String endpoints, String client) {
        return new ThrottledClient(endpoints, client);
    }

    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        ParentJvm parent = ParentJvm.ofThisProcess();
        LongAdder pairs = new LongAdder();
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch go = new CountDownLatch(1);
        // Everything has its default: what an application gets that sets nothing but the endpoints.
        try (DistributedLockFactory factory = DistributedLocks.getInstance(
                "redlock",
                LockConfig.builder()
                        .endpoints(args[0])
                        .option("client", args[1])
                        .build())) {
            List<FutureTask<Object>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                DistributedLock lock = factory.getLock("own-" + i);
                threads.add(Fixture.start(() -> {
                    go.await();
                    while (!over.get()) {
                        try {
                            lock.lock();
                            lock.unlock();
                            pairs.increment();
                        } catch (RuntimeException e) {
                            parent.say(FAILURE + e);
                        }
                    }
                    return null;
                }));
            }
            parent.say(READY);
            go.countDown();
            parent.nextLine();
            over.set(true);
            for (FutureTask<Object> thread : threads) {
                thread.get();
            }
        }
        parent.say(PAIRS + pairs);
    }

    /**
     * Lets the client run for a part of the time, from its birth on.
     *
     * @param time how long it has work to do
     */
    Outcome throttle(Duration running, Duration standing, Duration time) throws InterruptedException {
        List<String> failures = new ArrayList<>();
        while (!said.contains(READY) && !said.contains(ENDED)) {
            cycle(running, standing);
        }
        // Before this, the program starts, and its threads have nothing to ask for.
        longestStandNanos = 0;
        Optional<Duration> hadBefore = child.cpuTime();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < time.toNanos()) {
            cycle(running, standing);
        }
        double share = (double) running.toNanos() / running.plus(standing).toNanos();
        double planned = share * (System.nanoTime() - begin);
        boolean starved = longestStandNanos > 2 * standing.toNanos()
                || hadBefore
                        .flatMap(before -> child.cpuTime().map(had -> had.minus(before)))
                        .filter(had -> had.toNanos() < planned)
                        .isPresent();
        child.say("stop");
        while (true) {
            String line = said.poll(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (line == null || line.equals(ENDED)) {
                throw child.failed("did not say how many pairs it made");
            }
            if (line.startsWith(FAILURE)) {
                failures.add(line.substring(FAILURE.length()));
            } else if (line.startsWith(PAIRS)) {
                return new Outcome(Long.parseLong(line.substring(PAIRS.length())), failures, starved);
            }
        }
    }

    private void cycle(Duration running, Duration standing) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(running.toNanos());
        long since = System.nanoTime();
        child.stop();
        TimeUnit.NANOSECONDS.sleep(standing.toNanos());
        child.goOn();
        longestStandNanos = Math.max(longestStandNanos, System.nanoTime() - since);
    }

    @Override
    public void close() {
        child.close();
    }
}
