// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tokens are unique and grow, whatever the clocks show and in whatever order requests arrive. */
class FencingTest {
    private static final long AHEAD = 8_000_000_000_000_000L;

    private final Fixture redis = new Fixture(3);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    private static long tokenOf(DistributedLock lock) {
        lock.lock();
        try {
            return lock.lease().orElseThrow().fencingToken().orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    private LeaseProtocol protocol() {
        return redis.protocol(Fixture::trusting, Environment.system(), (index, node) -> node, reports);
    }

    private static long granted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).firstFence().orElseThrow();
    }

    private void setCounters(String name, long... last) {
        for (int i = 0; i < last.length; i++) {
            redis.servers.get(i).command("SET", Fixture.fence(name), Long.toString(last[i]));
        }
    }

    @Test
    void tokensGrowAcrossClientsAndFlushes() {
        List<Long> tokens = new ArrayList<>();
        tokens.add(tokenOf(redis.factory().getLock("fenced")));
        tokens.add(tokenOf(redis.factory().getLock("fenced")));
        redis.servers.forEach(server -> server.command("FLUSHALL"));
        tokens.add(tokenOf(redis.factory().getLock("fenced")));
        assertThat(tokens).isSorted().doesNotHaveDuplicates().allMatch(token -> token < 1L << 53);
    }

    @Test
    void aClientWhoseClockIsBehindGetsALargerTokenAllTheSame() {
        LeaseProtocol ahead = redis.protocol(
                Fixture::trusting, new SkewedEnvironment(Duration.ofSeconds(30)), (index, node) -> node, reports);
        LeaseProtocol behind = redis.protocol(
                Fixture::trusting, new SkewedEnvironment(Duration.ofSeconds(-30)), (index, node) -> node, reports);
        Claim first = Fixture.claim("skewed");
        long early = granted(ahead.attempt(first));
        redis.awaitTakenOn("skewed", 0, 1, 2);
        ahead.release(first);
        assertThat(granted(behind.attempt(Fixture.claim("skewed")))).isEqualTo(early + first.fences());
    }

    @Test
    void aClientWhoseClockIsFarAheadIsRefusedAndSpoilsNoCounter() {
        LeaseProtocol ahead = redis.protocol(
                Fixture::trusting, new SkewedEnvironment(Duration.ofMinutes(10)), (index, node) -> node, reports);
        Attempt attempt = ahead.attempt(Fixture.claim("far"));
        assertThat(attempt).isInstanceOf(Attempt.Failed.class);
        LockBackendException cause = ((Attempt.Failed) attempt).cause();
        assertThat(cause.reason()).isEqualTo(LockBackendException.Reason.REFUSED);
        assertThat(cause).hasMessageContaining("more than a minute ahead");
        assertThat(redis.servers)
                .allSatisfy(server ->
                        assertThat(server.command("GET", Fixture.fence("far"))).isNull());
    }

    @Test
    void countersThatDifferAreRaisedToTheLargestOffer() {
        setCounters("diverged", AHEAD, AHEAD + 100, AHEAD + 200);
        Claim claim = Fixture.claim("diverged");
        long first = granted(protocol().attempt(claim));
        redis.awaitTakenOn("diverged", 0, 1, 2);
        assertThat(first).isIn(AHEAD + 101, AHEAD + 201);
        String last = Long.toString(first + claim.fences() - 1);
        assertThat(redis.servers)
                .filteredOn(server -> last.equals(server.command("GET", Fixture.fence("diverged"))))
                .as("servers that know the largest token in use, %s", last)
                .hasSizeGreaterThanOrEqualTo(2);
    }

    /** A protocol whose counters differ, for which something happens between its two rounds. */
    private LeaseProtocol disturbed(String name, Runnable disturbance) {
        setCounters(name, AHEAD, AHEAD + 100, AHEAD + 200);
        CountDownLatch answers = new CountDownLatch(redis.servers.size());
        AtomicBoolean done = new AtomicBoolean();
        GatedNode.Gate gate = new GatedNode.Gate() {
            @Override
            public void beforeScript(int number) throws InterruptedException {
                if (number == 1) {
                    answers.await();
                    synchronized (done) {
                        if (!done.getAndSet(true)) {
                            disturbance.run();
                        }
                    }
                }
            }

            @Override
            public void afterReply(int number) {
                if (number == 0) {
                    answers.countDown();
                }
            }
        };
        return redis.protocol(
                Fixture::trusting, Environment.system(), (index, node) -> new GatedNode(node, gate), reports);
    }

    private void lose(String name, int... servers) {
        for (int server : servers) {
            redis.servers.get(server).command("DEL", Fixture.key(name));
        }
    }

    @Test
    void aMajorityThatForgetsTheLockBetweenTheRoundsGivesNoToken() {
        LeaseProtocol protocol = disturbed("forgotten", () -> lose("forgotten", 0, 1));
        assertThat(protocol.attempt(Fixture.claim("forgotten"))).isInstanceOf(Attempt.Refused.class);
        redis.awaitTakenOn("forgotten");
    }

    @Test
    void aMinorityThatForgetsTheLockBetweenTheRoundsDoesNoHarm() {
        LeaseProtocol protocol = disturbed("minority", () -> lose("minority", 1));
        // Whichever two answer first, the third does not exceed them, or is not needed.
        setCounters("minority", AHEAD, AHEAD + 200, AHEAD + 100);
        granted(protocol.attempt(Fixture.claim("minority")));
        redis.awaitTakenOn("minority", 0, 2);
    }

    @Test
    void aClientThatTakesOverBetweenTheRoundsHasTheOnlyToken() {
        LeaseProtocol other = protocol();
        Claim claim = Fixture.claim("overtaken");
        List<Long> tokens = new CopyOnWriteArrayList<>();
        LeaseProtocol protocol = disturbed("overtaken", () -> {
            lose("overtaken", 0, 1, 2);
            tokens.add(granted(other.attempt(claim)));
        });
        assertThat(protocol.attempt(Fixture.claim("overtaken"))).isInstanceOf(Attempt.Refused.class);
        assertThat(tokens).hasSize(1);
        assertThat(redis.servers)
                .filteredOn(server -> claim.token().equals(server.command("GET", Fixture.key("overtaken"))))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    /** A grant: the positions of the beginning and the end of its attempt among all such moments, and its tokens. */
    private record Hold(long began, long ended, long first, int tokens) {}

    /**
     * Requests reach the servers in any order, keys vanish at any moment, and clocks are days apart. Two clients may
     * hold the lock then, but never with the same token, and a later holder never has a smaller one.
     */
    @Test
    void tokensAreUniqueAndGrowHoweverRequestsMeet() throws Exception {
        ConcurrentLinkedQueue<Hold> holds = new ConcurrentLinkedQueue<>();
        AtomicLong moments = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        List<FutureTask<Object>> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LeaseProtocol protocol = redis.protocol(
                    Fixture::trusting,
                    new SkewedEnvironment(Duration.ofSeconds(20 * i)),
                    (index, node) -> new GatedNode(node, number -> dawdle(2_000)),
                    reports);
            clients.add(Fixture.start(() -> {
                for (int round = 0; round < 150; round++) {
                    Claim claim = Fixture.claim("chaos");
                    long began = moments.getAndIncrement();
                    if (protocol.attempt(claim) instanceof Attempt.Granted granted) {
                        holds.add(new Hold(
                                began,
                                moments.getAndIncrement(),
                                granted.firstFence().orElseThrow(),
                                claim.fences()));
                    }
                    dawdle(2_000);
                    protocol.release(claim);
                }
                return null;
            }));
        }
        FutureTask<Object> thief = Fixture.start(() -> {
            Random random = new Random(1);
            while (!over.get()) {
                lose("chaos", random.nextInt(3));
                dawdle(3_000);
            }
            return null;
        });
        for (FutureTask<Object> client : clients) {
            client.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        over.set(true);
        thief.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        List<Hold> all = List.copyOf(holds);
        assertThat(all).hasSizeGreaterThan(20);
        for (Hold one : all) {
            for (Hold other : all) {
                if (one != other) {
                    assertThat(one.first() + one.tokens() <= other.first()
                                    || other.first() + other.tokens() <= one.first())
                            .as("%s and %s share no token", one, other)
                            .isTrue();
                    assertThat(one.ended() < other.began() && one.first() > other.first())
                            .as("%s was before %s and has a larger token", one, other)
                            .isFalse();
                }
            }
        }
    }

    private static void dawdle(int maxMicros) throws InterruptedException {
        TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextInt(maxMicros));
    }

    @Test
    void threadsThatHandTheLockOverHaveTokensOfTheirOwn() throws Exception {
        DistributedLockFactory factory = redis.factory();
        DistributedLock lock = factory.getLock("local");
        List<Long> tokens = new CopyOnWriteArrayList<>();
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(Fixture.start(() -> {
                for (int j = 0; j < 50; j++) {
                    lock.lock();
                    try {
                        tokens.add(lock.lease().orElseThrow().fencingToken().orElseThrow());
                    } finally {
                        lock.unlock();
                    }
                }
                return null;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            thread.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(tokens).hasSize(400).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aCounterThatIsNoNumberIsReportedAndNothingIsWritten() {
        redis.servers.forEach(server -> server.command("SET", Fixture.fence("nonsense"), "nonsense"));
        DistributedLock lock = redis.factory().getLock("nonsense");
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);
        assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.REFUSED);
        assertThat(failure).hasMessageContaining("fence of this lock is not a number");
        assertThat(redis.takenOn("nonsense")).isEmpty();
    }

    @Test
    void countersDoNotStayForEver() {
        redis.factory().getLock("fenced").lock();
        redis.awaitTakenOn("fenced", 0, 1, 2);
        assertThat(redis.servers)
                .allSatisfy(server -> assertThat((Long) server.command("TTL", Fixture.fence("fenced")))
                        .isPositive());
    }
}
