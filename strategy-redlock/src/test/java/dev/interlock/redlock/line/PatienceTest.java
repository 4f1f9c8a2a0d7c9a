// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.redlock.Fixture;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that answer late: locks are granted all the same, and a slow server does not slow down the others. */
class PatienceTest {
    private static final int SERVERS = 3;

    private final Fixture redis = new Fixture(SERVERS);

    @AfterEach
    void stop() {
        redis.close();
    }

    /** The time-out of one server is so short that none answers within it. */
    private static LockConfig.Builder impatient(LockConfig.Builder config) {
        return Fixture.trusting(config).option("node-timeout", "1ms");
    }

    /** @param millis the longer one is long enough for all servers to be shed */
    @ParameterizedTest
    @ValueSource(ints = {120, 400})
    void aMajorityThatAnswersLateIsWaitedFor(int millis) throws Exception {
        DistributedLockFactory factory = redis.factory(PatienceTest::impatient);
        redis.warmUp(factory);
        redis.proxies.forEach(proxy -> proxy.delayReplies(Duration.ofMillis(millis)));
        List<FutureTask<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedLock lock = factory.getLock("late-" + i);
            threads.add(Fixture.start(() -> pairs(lock, 2)));
        }
        for (FutureTask<Integer> thread : threads) {
            assertThat(thread.get(60, TimeUnit.SECONDS)).isEqualTo(2);
        }
    }

    private static int pairs(DistributedLock lock, int number) throws InterruptedException {
        int had = 0;
        for (int i = 0; i < number; i++) {
            if (lock.tryLock(10, TimeUnit.SECONDS)) {
                had++;
                lock.unlock();
            }
        }
        return had;
    }

    @Test
    void threadsThatStartTogetherWaitForEachOther() throws Exception {
        startTogether(64, 20);
    }

    @Test
    @Tag("deep")
    void aThousandThreadsWaitForEachOther() throws Exception {
        startTogether(1_000, 20);
    }

    /** Starts before any connection is established. */
    private void startTogether(int threads, int number) throws Exception {
        DistributedLockFactory factory = redis.factory(PatienceTest::impatient);
        CountDownLatch begin = new CountDownLatch(1);
        List<FutureTask<Integer>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            DistributedLock lock = factory.getLock("own-" + i);
            all.add(Fixture.start(() -> {
                begin.await();
                return pairs(lock, number);
            }));
        }
        begin.countDown();
        for (FutureTask<Integer> thread : all) {
            assertThat(thread.get(120, TimeUnit.SECONDS)).isEqualTo(number);
        }
    }

    @Tag("deep")
    @Test
    void aServerThatOwesAnswersIsShedAndToldOfTheReleasesInTheEnd() throws Exception {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        FaultProxy slow = redis.proxies.get(0);
        slow.blackholeReplies();
        long before = scripts(redis.servers.get(0));
        DistributedLock lock = factory.getLock("shed", Fixture.unrenewed(Duration.ofMinutes(1)));
        int pairs = 1_000;
        assertThat(pairs(lock, pairs)).isEqualTo(pairs);
        assertThat(scripts(redis.servers.get(0)) - before).isLessThan(pairs);
        slow.heal();
        redis.acquireEverywhere(lock).close();
        redis.awaitTakenOn("shed");
    }

    private static long scripts(RedisServer server) {
        return String.valueOf(server.command("INFO", "commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(','))))
                .sum();
    }
}
