// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.redlock.Fixture;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients pass one lock on while connections break, replies get lost, and servers stand still. */
@Tag("deep")
class LeadChaosTest {
    private static final int CLIENTS = 4;
    private static final int FAULTS = 30;
    private static final String NAME = "chaos";

    private final Fixture redis = new Fixture(3);
    private final AtomicReference<Held> last = new AtomicReference<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger holds = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    /** The last holder of the lock, as the holders record it. */
    private record Held(Lease lease, long token) {}

    @AfterEach
    void stop() {
        redis.close();
    }

    private static LockConfig.Builder hasty(LockConfig.Builder config) {
        return config.commandTimeout(Duration.ofSeconds(2))
                .option("cold-start", "trust")
                .option("node-timeout", "100ms")
                .lockDefaults(LockOptions.builder().lease(Duration.ofSeconds(4)).build());
    }

    private Object lockAgainAndAgain(DistributedLock lock) throws InterruptedException {
        while (!over.get()) {
            try (LockHandle handle = lock.acquire()) {
                Held mine = new Held(handle, handle.fencingToken().orElseThrow());
                Held before = last.getAndSet(mine);
                if (before != null) {
                    // The order matters: a lease that is valid now was valid before.
                    boolean both = handle.isValid() && before.lease().isValid();
                    if (both && handle.isValid()) {
                        violations.add("two held the lock, with " + before.token() + " and " + mine.token());
                    }
                    if (before.token() >= mine.token() && handle.isValid()) {
                        violations.add("token " + mine.token() + " came after " + before.token());
                    }
                }
                holds.incrementAndGet();
            } catch (LockBackendException | LeaseLostException e) {
                // Expected under faults; the next round must work again.
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        return null;
    }

    @Test
    void noTwoHoldTheLockAndTokensGrowWhateverIsLostOnTheWay() throws Exception {
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            DistributedLock lock = redis.factory(LeadChaosTest::hasty).getLock(NAME);
            threads.add(Fixture.start(() -> lockAgainAndAgain(lock)));
        }
        Random random = new Random(7);
        for (int i = 0; i < FAULTS; i++) {
            int before = holds.get();
            disturb(random, random.nextInt(3));
            await().atMost(Fixture.PATIENCE).until(() -> holds.get() > before + 20);
        }
        over.set(true);
        for (FutureTask<Object> thread : threads) {
            thread.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(violations).isEmpty();
        redis.awaitTakenOn(NAME);
    }

    private void disturb(Random random, int node) throws InterruptedException {
        FaultProxy proxy = redis.proxies.get(node);
        RedisServer server = redis.servers.get(node);
        switch (random.nextInt(7)) {
            case 0 -> proxy.cutConnections();
            case 1 -> proxy.loseNextReply();
            case 2 -> proxy.halfOpen();
            case 3 -> server.command("CLIENT", "KILL", "TYPE", "pubsub");
            case 4 -> {
                proxy.blackholeReplies();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
                proxy.heal();
            }
            case 5 -> {
                server.pause();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1_500));
                server.resume();
            }
            default -> {
                proxy.refuse();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(200));
                proxy.accept();
            }
        }
    }
}
