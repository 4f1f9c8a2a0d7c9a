// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.peers.client.PeerWire;
import dev.interlock.peers.client.SpringPeer;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring's registry in the mode in which its waiters sleep until they are told of a release. */
@Tag("deep")
class SpringWaiterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How long a waiter sleeps that nobody tells. */
    private static final Duration LEASE = Duration.ofHours(1);

    private static final Duration WHILE = Duration.ofSeconds(3);

    private final RedisServer redis = RedisServer.start();
    private final SpringPeer spring = new SpringPeer(redis.port(), RedisLockType.PUB_SUB_LOCK, PeerWire.NAME);

    @AfterEach
    void stop() {
        spring.close();
        redis.close();
    }

    /** Takes the lock, and returns it; no renewal asks the server for it meanwhile. */
    private static DistributedLock held(DistributedLockFactory factory) {
        DistributedLock lock = factory.getLock(
                PeerWire.NAME, LockOptions.builder().lease(LEASE).renewal(false).build());
        lock.lock();
        return lock;
    }

    /** A waiter in {@code lock()} of Spring's that has asked, listened, and asked again before it sleeps. */
    private FutureTask<Object> asleep() {
        long before = asked();
        FutureTask<Object> waiter = new FutureTask<>(() -> spring.lock(LEASE), null);
        Thread thread = new Thread(waiter, "waiter");
        thread.setDaemon(true);
        thread.start();
        await().atMost(PATIENCE).until(() -> asked() >= before + 2);
        assertThat(redis.command("PUBSUB", "NUMPAT")).isEqualTo(1L);
        assertThat(waiter.isDone()).isFalse();
        return waiter;
    }

    private long asked() {
        return redis.commandStats().getOrDefault("get", 0L);
    }

    @Test
    void aWaiterGetsTheLockAfterAReleaseThatIsAnnounced() throws Exception {
        try (DistributedLockFactory factory = PeerWire.SPRING_ANNOUNCED.factory(Integer.toString(redis.port()))) {
            DistributedLock ours = held(factory);
            FutureTask<Object> waiter = asleep();
            ours.unlock();
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(ours.tryLock()).isFalse();
        }
    }

    @Test
    void aWaiterSleepsOnAfterAReleaseThatIsNot() throws Exception {
        try (DistributedLockFactory factory = PeerWire.SPRING.factory(Integer.toString(redis.port()))) {
            DistributedLock ours = held(factory);
            FutureTask<Object> waiter = asleep();
            ours.unlock();
            await().during(WHILE).atMost(PATIENCE).until(() -> !waiter.isDone());
            assertThat(redis.command("EXISTS", PeerWire.SPRING.key())).isEqualTo(0L);
            redis.command("PUBLISH", SpringPeer.REGISTRY + "-channel:", PeerWire.SPRING.key());
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
