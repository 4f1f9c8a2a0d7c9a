// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Wake-ups. Waiters here would not ask again by themselves for an hour. */
class WakeUpTest {
    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    private DistributedLockFactory patient() {
        return redis.factory(config -> Fixture.trusting(config).waitCeiling(Duration.ofHours(1)));
    }

    private void awaitWaiting(String name, long count) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                                .mapToLong(server -> (Long) server.command("ZCARD", Fixture.key(name) + ":waiting"))
                                .sum()
                        == count);
    }

    @Test
    void manyWhoWaitInSeveralClientsEachGetTheirTurn() throws Exception {
        DistributedLock held = redis.factory().getLock("crowd");
        held.lock();
        redis.awaitTakenOn("crowd", 0, 1, 2);
        List<FutureTask<Object>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiters.add(Fixture.passing(patient().getLock("crowd")));
        }
        awaitWaiting("crowd", 6);
        held.unlock();
        for (FutureTask<Object> waiter : waiters) {
            waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        redis.awaitTakenOn("crowd");
    }

    @Test
    void nobodyIsInTheQueueWhenNobodyWaits() throws Exception {
        DistributedLock held = redis.factory().getLock("quiet");
        held.lock();
        redis.awaitTakenOn("quiet", 0, 1, 2);
        FutureTask<Object> waiter = Fixture.passing(patient().getLock("quiet"));
        awaitWaiting("quiet", 1);
        held.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        awaitWaiting("quiet", 0);
        redis.awaitTakenOn("quiet");
    }
}
