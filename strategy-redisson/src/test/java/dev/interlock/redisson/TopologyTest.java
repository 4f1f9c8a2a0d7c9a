// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Servers that belong together, with a plain client that knows them in the same way. */
@Tag("deep")
class TopologyTest {
    private static DistributedLockFactory factory(String endpoints) {
        return new RedissonStrategyProvider()
                .newFactory(LockConfig.builder()
                        .endpoints(endpoints)
                        .commandTimeout(Fixture.TIMEOUT)
                        .waitCeiling(Duration.ofMinutes(5))
                        .build());
    }

    /**
     * Each excludes and wakes the other, by message: leases and the longest wait without one are longer than our
     * patience.
     */
    private static void excludeAndWakeEachOther(DistributedLockFactory factory, RedissonClient client, String name)
            throws Exception {
        DistributedLock ours = factory.getLock(name, Fixture.lease(Fixture.LONG));
        RLock plain = client.getLock(name);
        ours.lock();
        assertThat(plain.tryLock()).isFalse();
        FutureTask<Boolean> plainWaiter = Fixture.start(() -> {
            plain.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
            plain.unlock();
            return true;
        });
        awaitBlocked(plainWaiter);
        ours.unlock();
        assertThat(Fixture.result(plainWaiter)).isTrue();

        plain.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
        assertThat(ours.tryLock()).isFalse();
        FutureTask<Boolean> ourWaiter = Fixture.start(() -> {
            ours.lock();
            ours.unlock();
            return true;
        });
        awaitBlocked(ourWaiter);
        plain.unlock();
        assertThat(Fixture.result(ourWaiter)).isTrue();
    }

    private static void awaitBlocked(FutureTask<?> waiter) {
        await().during(Duration.ofMillis(500)).atMost(Fixture.PATIENCE).until(() -> !waiter.isDone());
    }

    private static void close(RedissonClient client) {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void aClusterWakesByShardedMessagesAndRenewsOnAllNodes() throws Exception {
        try (ClusterServers cluster = ClusterServers.start(2, 0)) {
            RedisServer one = cluster.nodes().get(0);
            RedisServer two = cluster.nodes().get(1);
            Config config = new Config();
            Fixture.patient(config.useClusterServers())
                    .addNodeAddress(one.uri())
                    .setMasterConnectionMinimumIdleSize(1);
            RedissonClient client = Redisson.create(config);
            try (DistributedLockFactory factory = factory("redis-cluster://127.0.0.1:" + one.port())) {
                excludeAndWakeEachOther(factory, client, "a");
                excludeAndWakeEachOther(factory, client, "b");
                excludeAndWakeEachOther(factory, client, "braces {of} a name");

                List<DistributedLock> many = new ArrayList<>();
                List<Lease> leases = new ArrayList<>();
                List<Long> ends = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    DistributedLock lock = factory.getLock("many " + i, Fixture.lease(Duration.ofSeconds(15)));
                    lock.lock();
                    many.add(lock);
                    leases.add(lock.lease().orElseThrow());
                    ends.add(endNanos(leases.get(i)));
                }
                for (int i = 0; i < leases.size(); i++) {
                    Lease lease = leases.get(i);
                    long end = ends.get(i);
                    await("renewed").atMost(Fixture.PATIENCE).until(() -> {
                        assertThat(lease.isValid()).isTrue();
                        return endNanos(lease) - end > TimeUnit.SECONDS.toNanos(1);
                    });
                }
                assertThat(leases).allMatch(Lease::isValid);
                assertThat(one.command("DBSIZE")).isNotEqualTo(0L);
                assertThat(two.command("DBSIZE")).isNotEqualTo(0L);
                many.forEach(DistributedLock::unlock);
            } finally {
                close(client);
            }
        }
    }

    private static long endNanos(Lease lease) {
        return System.nanoTime() + lease.remaining().toNanos();
    }

    @Test
    void theMasterIsFoundAmongItsReplicas() throws Exception {
        try (RedisServer master = RedisServer.start();
                RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(master.port()))) {
            await().atMost(Fixture.PATIENCE)
                    .until(() ->
                            replica.command("INFO", "replication").toString().contains("master_link_status:up"));
            Config config = new Config();
            Fixture.patient(config.useSingleServer()).setAddress(master.uri()).setConnectionMinimumIdleSize(1);
            RedissonClient client = Redisson.create(config);
            try (DistributedLockFactory factory = factory(replica.uri() + "," + master.uri())) {
                excludeAndWakeEachOther(factory, client, Fixture.NAME);
            } finally {
                close(client);
            }
        }
    }

    @Test
    void sentinelsTellTheMaster() throws Exception {
        try (SentinelServers group = SentinelServers.start(1)) {
            Config config = new Config();
            Fixture.patient(config.useSingleServer())
                    .setAddress(group.primary().uri())
                    .setConnectionMinimumIdleSize(1);
            RedissonClient client = Redisson.create(config);
            try (DistributedLockFactory factory = factory(group.uri())) {
                excludeAndWakeEachOther(factory, client, Fixture.NAME);
            } finally {
                close(client);
            }
        }
    }
}
