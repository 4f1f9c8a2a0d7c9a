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
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The access control lists that the documentation gives for several servers suffice, also while a primary changes. */
@Tag("deep")
class TopologyAccessTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    /** The end of a connection may go unnoticed for this time, since Redisson does not report it. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Its waiters ask again now and then, since servers forget who listens when a primary changes. */
    private static DistributedLockFactory factory(String uri) {
        return new RedissonStrategyProvider()
                .newFactory(LockConfig.builder()
                        .endpoints(uri)
                        .commandTimeout(TIMEOUT)
                        .build());
    }

    private static DistributedLock lock(DistributedLockFactory factory) {
        return factory.getLock(Fixture.NAME, Fixture.lease(LEASE));
    }

    private static void allow(List<RedisServer> servers, int line) throws Exception {
        String list = CommandsTest.documentedList(line).replace(">…", ">s3cret");
        for (RedisServer server : servers) {
            server.command(list.split(" "));
            server.command("ACL", "LOG", "RESET");
        }
    }

    private static FutureTask<Boolean> waiter(DistributedLock lock) {
        return Fixture.start(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
    }

    private static void assertNothingRefused(List<RedisServer> servers) {
        for (RedisServer server : servers) {
            assertThat((List<?>) server.command("ACL", "LOG"))
                    .as("what %s refused, but for Redisson's own look for a cluster, which it does without", server)
                    .allSatisfy(refusal -> assertThat(refusal.toString()).contains("object, eval,"));
        }
    }

    /**
     * Renews the lease until its end has certainly moved. The old end is read as too late, and the new one as too
     * early, if the machine pauses between the readings.
     */
    private static void renewByHand(Lease lease) {
        long before = lease.remaining().toNanos() + System.nanoTime();
        await().atMost(Fixture.PATIENCE).ignoreExceptions().until(() -> {
            lease.ensureValid(LEASE.minusSeconds(2));
            return System.nanoTime() + lease.remaining().toNanos() > before;
        });
    }

    @Test
    void theDocumentedListSufficesInAClusterAlsoForASlotThatMoves() throws Exception {
        try (ClusterServers cluster = ClusterServers.start(3, 1)) {
            allow(cluster.nodes(), 2);
            String uri = cluster.uri().replace("://", "://locker:s3cret@");
            try (DistributedLockFactory ours = factory(uri);
                    DistributedLockFactory others = factory(uri)) {
                lockAndWaitWhileTheSlotMoves(cluster, lock(ours), lock(others));
            }
            assertNothingRefused(cluster.nodes());
        }
    }

    private static void lockAndWaitWhileTheSlotMoves(
            ClusterServers cluster, DistributedLock mine, DistributedLock theirs) throws Exception {
        mine.lock();
        FutureTask<Boolean> waiter = waiter(theirs);
        int slot = cluster.slotOf(Fixture.NAME);
        RedisServer source = cluster.nodeOfSlot(slot);
        await().atMost(Fixture.PATIENCE)
                .until(() -> source.command("PUBSUB", "SHARDCHANNELS").equals(List.of(Fixture.CHANNEL)));
        RedisServer target = cluster.primaries().stream()
                .filter(node -> node.port() != source.port())
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(slot, target);
        migration.moveKeys();
        renewByHand(mine.lease().orElseThrow());
        migration.finish();
        cluster.awaitSettled();
        mine.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }

    @Test
    void theDocumentedListsSufficeBehindSentinelsAlsoForASwitchOver() throws Exception {
        try (SentinelServers group = SentinelServers.start(2)) {
            allow(group.servers(), 1);
            allow(group.sentinels(), 3);
            for (RedisServer sentinel : group.sentinels()) {
                sentinel.command("SENTINEL", "CONFIG", "SET", "sentinel-pass", "among-sentinels");
                sentinel.command("ACL", "SETUSER", "default", "resetpass", ">among-sentinels");
            }
            String uri = group.uri()
                    .replace("://", "://locker:s3cret@")
                    .replace("#", "?sentinelUsername=locker&sentinelPassword=s3cret#");
            try (DistributedLockFactory ours = factory(uri);
                    DistributedLockFactory others = factory(uri)) {
                lockAndWaitWhileThePrimaryChanges(group, lock(ours), lock(others));
            }
            assertNothingRefused(group.servers());
            assertNothingRefused(group.sentinels());
        }
    }

    private static void lockAndWaitWhileThePrimaryChanges(
            SentinelServers group, DistributedLock mine, DistributedLock theirs) throws Exception {
        mine.lock();
        FutureTask<Boolean> waiter = waiter(theirs);
        await().atMost(Fixture.PATIENCE)
                .until(() -> group.primary()
                        .command("PUBSUB", "NUMSUB", Fixture.CHANNEL)
                        .equals(List.of(Fixture.CHANNEL, 1L)));
        renewByHand(mine.lease().orElseThrow());
        group.switchOver();
        renewByHand(mine.lease().orElseThrow());
        mine.unlock();
        assertThat(Fixture.result(waiter)).isTrue();
    }
}
