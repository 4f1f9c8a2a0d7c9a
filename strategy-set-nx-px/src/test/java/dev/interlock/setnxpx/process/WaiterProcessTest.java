// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.setnxpx.Fixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that is granted to a process which does not take it goes to the next waiter. */
class WaiterProcessTest {
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String NAME = "queued";

    Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aKilledProcessIsPassedOver() throws Exception {
        // The lease is so long that the next waiter has to be woken, and does not find out by asking.
        DistributedLock mine = redis.factory().getLock(NAME, Fixture.lease(Duration.ofMinutes(5)));
        mine.lock();
        try (HolderProcess first = HolderProcess.start(CLASS_PATH, redis.server.uri(), NAME, Duration.ofMinutes(5))) {
            redis.awaitWaiters(NAME, 1);
            DistributedLock behind = redis.factory(config -> config.waitCeiling(Duration.ofHours(1)))
                    .getLock(NAME);
            FutureTask<Lease> waiting = Fixture.passing(behind);
            redis.awaitWaiters(NAME, 2);
            first.kill();
            // The server notices the end of a connection when it comes to it.
            await().atMost(Fixture.PATIENCE)
                    .until(() ->
                            ((List<?>) redis.server.command("PUBSUB", "CHANNELS", "interlock:client:*")).size() == 1);
            mine.unlock();
            waiting.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(redis.server.command("KEYS", "*:waiting")).isEqualTo(List.of());
    }

    @Test
    void aStoppedProcessLosesWhatItWasGrantedAndWaitsAgainWhenItGoesOn() throws Exception {
        DistributedLock mine = redis.factory().getLock(NAME);
        mine.lock();
        try (HolderProcess first = HolderProcess.start(CLASS_PATH, redis.server.uri(), NAME, Duration.ofMinutes(5))) {
            redis.awaitWaiters(NAME, 1);
            first.stop();
            CountDownLatch enough = new CountDownLatch(1);
            DistributedLock behind = redis.factory().getLock(NAME);
            CountDownLatch has = new CountDownLatch(1);
            FutureTask<Long> waiting = Fixture.start(() -> {
                behind.lock();
                long fence = behind.lease().orElseThrow().fencingToken().orElseThrow();
                has.countDown();
                enough.await();
                behind.unlock();
                return fence;
            });
            redis.awaitWaiters(NAME, 2);
            String stopped = (String)
                    ((List<?>) redis.server.command("ZRANGE", Fixture.key(NAME) + ":waiting", "0", "0")).get(0);
            mine.unlock();
            List<?> holderAndTime = (List<?>) redis.server.command(
                    "EVAL", "return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}", "1", Fixture.key(NAME));
            // A busy machine may look when that is over.
            if (stopped.split(" ")[1].equals(holderAndTime.get(0))) {
                assertThat((Long) holderAndTime.get(1))
                        .as("granted to the stopped process, and not for long")
                        .isBetween(1L, 2_000L);
            }
            assertThat(has.await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            first.goOn();
            FutureTask<Long> theirs = Fixture.start(first::awaitHeld);
            await().during(Duration.ofSeconds(1)).atMost(Fixture.PATIENCE).until(() -> !theirs.isDone());
            enough.countDown();
            long fence = waiting.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(theirs.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isGreaterThan(fence);
        }
    }
}
