// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static dev.interlock.setnxpx.Fixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holders and waiters on a cluster that loses nodes and moves slots; each test has a cluster of its own. Where many
 * locks are renewed, the clients do not differ.
 */
@Tag("deep")
class ClusterTroubleTest {
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
    }

    private DistributedLockFactory factory(String client, String uri, Duration commandTimeout) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(uri)
                        .commandTimeout(commandTimeout)
                        .option("client", client)
                        // It would be one more key where a test counts them.
                        .option("card", "false")
                        .build());
        factories.add(factory);
        return factory;
    }

    private static List<DistributedLock> hold(DistributedLockFactory factory, int count) {
        List<DistributedLock> locks = IntStream.range(0, count)
                .mapToObj(i -> factory.getLock("held" + i, Fixture.lease(LEASE)))
                .toList();
        locks.forEach(DistributedLock::lock);
        return locks;
    }

    private static List<Lease> leases(List<DistributedLock> locks) {
        return locks.stream().map(lock -> lock.lease().orElseThrow()).toList();
    }

    /** Waits until as many renewals have come to a server as there are locks. */
    private static void awaitRenewals(List<RedisServer> servers, int count) {
        await().atMost(PATIENCE)
                .until(() -> servers.stream()
                                .mapToLong(server -> server.commandStats().getOrDefault("pexpire", 0L))
                                .sum()
                        >= count);
    }

    @Test
    void manyLocksOfAllNodesAreRenewedAndReleased() {
        try (ClusterServers cluster = ClusterServers.start()) {
            DistributedLockFactory factory = factory("lettuce", cluster.uri(), PATIENCE);
            List<Lease> leases = leases(hold(factory, 600));
            awaitRenewals(cluster.primaries(), 600);
            assertThat(leases).allMatch(Lease::isValid);
            factory.close();
            for (RedisServer server : cluster.primaries()) {
                assertThat((List<?>) server.command("KEYS", "*}")).isEmpty();
            }
        }
    }

    @Test
    void aServerInClusterModeThatIsNamedAsASingleOneKeepsManyLocks() {
        try (RedisServer server = RedisServer.start("--cluster-enabled", "yes")) {
            server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
            await().atMost(PATIENCE)
                    .until(() ->
                            String.valueOf(server.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
            DistributedLockFactory factory = factory("interlock", server.uri(), PATIENCE);
            List<Lease> leases = leases(hold(factory, 100));
            awaitRenewals(List.of(server), 100);
            assertThat(leases).allMatch(Lease::isValid);
            factory.close();
            assertThat((List<?>) server.command("KEYS", "*}")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce"})
    void whoLostItsLockInAFailoverIsToldLongBeforeItsNextRenewal(String client) {
        try (ClusterServers cluster = ClusterServers.start(3, 1)) {
            DistributedLockFactory factory = factory(client, cluster.uri(), PATIENCE);
            DistributedLock lost = factory.getLock("lost", Fixture.lease(PATIENCE.multipliedBy(100)));
            lost.lock();
            AtomicReference<LossCause> told = new AtomicReference<>();
            lost.lease().orElseThrow().onLoss(told::set);
            RedisServer former = cluster.nodeOfSlot(cluster.slotOf(Fixture.key("lost")));
            DistributedLock other = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> "other" + i)
                    .filter(name -> cluster.nodeOfSlot(cluster.slotOf(Fixture.key(name))) == former)
                    .findFirst()
                    .map(name -> factory.getLock(name, Fixture.lease(LEASE)))
                    .orElseThrow();

            cluster.kill(former);
            // As if it had been taken too late to be replicated.
            cluster.awaitFailover(former).command("DEL", Fixture.key("lost"));
            // Somebody has to come to the dead node to find that it is.
            other.lock();
            other.unlock();

            await().atMost(PATIENCE).untilAtomic(told, equalTo(LossCause.GONE));
        }
    }

    @Test
    void aPrimaryThatStandsStillDelaysNoRenewalAtOthers() {
        try (ClusterServers cluster = ClusterServers.start()) {
            DistributedLockFactory factory = factory("interlock", cluster.uri(), PATIENCE);
            List<DistributedLock> locks = hold(factory, 60);
            RedisServer stalled = cluster.primaries().get(0);
            List<Lease> others = new ArrayList<>();
            for (DistributedLock lock : locks) {
                int slot = cluster.slotOf(Fixture.key(lock.name()));
                if (cluster.nodeOfSlot(slot).port() != stalled.port()) {
                    others.add(lock.lease().orElseThrow());
                }
            }
            stalled.pause();
            try {
                List<RedisServer> running = cluster.nodes().stream()
                        .filter(node -> node.port() != stalled.port())
                        .toList();
                // Twice each: not only those that were under way.
                awaitRenewals(running, 2 * others.size());
                assertThat(others).hasSizeGreaterThan(20).allMatch(Lease::isValid);
            } finally {
                stalled.resume();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce"})
    void aHolderIsRenewedWhileItsKeyIsAlreadyAtTheNextNode(String client) {
        try (ClusterServers cluster = ClusterServers.start()) {
            DistributedLock lock =
                    factory(client, cluster.uri(), PATIENCE).getLock("moving", Fixture.lease(Duration.ofMinutes(1)));
            lock.lock();
            int slot = cluster.slotOf(Fixture.key("moving"));
            RedisServer source = cluster.nodeOfSlot(slot);
            RedisServer target = cluster.primaries().stream()
                    .filter(node -> node.port() != source.port())
                    .findFirst()
                    .orElseThrow();
            SlotMigration migration = cluster.beginMigration(slot, target);
            migration.moveKeys();
            Fixture.renewByHand(lock.lease().orElseThrow());
            assertThat(target.commandStats()).containsEntry("pexpire", 1L);
            migration.finish();
            cluster.awaitSettled();
            lock.unlock();
            assertThat((List<?>) target.command("KEYS", "*}")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce"})
    void holdersAndWaitersOutliveAPrimaryWhoseKeysItsReplicaHas(String client) throws Exception {
        try (ClusterServers cluster = ClusterServers.start(3, 1)) {
            Duration timeout = Duration.ofSeconds(10);
            DistributedLock mine =
                    factory(client, cluster.uri(), timeout).getLock("kept", Fixture.lease(Duration.ofMinutes(1)));
            DistributedLock theirs =
                    factory(client, cluster.uri(), timeout).getLock("kept", Fixture.lease(Duration.ofMinutes(1)));
            mine.lock();
            FutureTask<Lease> waiter = Fixture.passing(theirs);
            RedisServer former = cluster.nodeOfSlot(cluster.slotOf(Fixture.key("kept")));
            RedisServer replica = cluster.replicasOf(former).get(0);
            // The lock, its fence and its list.
            await().atMost(PATIENCE).until(() -> Long.valueOf(3).equals(replica.command("DBSIZE")));
            cluster.kill(former);
            cluster.awaitFailover(former);
            Lease lease = mine.lease().orElseThrow();
            assertThat(lease.isValid()).isTrue();
            assertThat(waiter.isDone()).isFalse();
            mine.unlock();
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
