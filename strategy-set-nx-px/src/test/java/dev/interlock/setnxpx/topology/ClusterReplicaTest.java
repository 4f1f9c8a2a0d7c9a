// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static dev.interlock.setnxpx.Fixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/** Locks on a cluster whose primaries have a replica each. */
@Tag("deep")
class ClusterReplicaTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int TRIES = 20;

    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private ClusterServers cluster;

    @BeforeEach
    void start() {
        cluster = ClusterServers.start(3, 1);
    }

    @AfterEach
    void stop() {
        factories.forEach(DistributedLockFactory::close);
        cluster.close();
    }

    private DistributedLockFactory factory(Duration timeout, String replicas) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(cluster.uri())
                        .commandTimeout(timeout)
                        .option("replicas", replicas)
                        // It would be one more key where a test counts them.
                        .option("card", "false")
                        .build());
        factories.add(factory);
        return factory;
    }

    private RedisServer owner(String name) {
        return cluster.nodeOfSlot(cluster.slotOf(Fixture.key(name)));
    }

    @Test
    void aLockCountsOnceTheReplicaOfItsPrimaryHasIt() throws Exception {
        String name = "acknowledged";
        DistributedLock mine = factory(PATIENCE, "1").getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory(PATIENCE, "1").getLock(name, Fixture.lease(MINUTE));
        RedisServer former = owner(name);
        RedisServer replica = cluster.replicasOf(former).get(0);
        mine.lock();
        assertThat(replica.command("DBSIZE"))
                .as("the lock and its fence, at once")
                .isEqualTo(2L);
        Fixture.renewByHand(mine.lease().orElseThrow());
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        await().atMost(PATIENCE)
                .until(() -> Long.valueOf(1).equals(former.command("ZCARD", Fixture.key(name) + ":waiting")));
        cluster.failOver(former);
        Fixture.renewByHand(mine.lease().orElseThrow());
        mine.unlock();
        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aLockThatTheReplicaDoesNotAcknowledgeIsGivenBack() {
        String name = "unacknowledged";
        DistributedLock lock = factory(Duration.ofSeconds(2), "1").getLock(name, Fixture.lease(MINUTE));
        RedisServer primary = owner(name);
        RedisServer replica = cluster.replicasOf(primary).get(0);
        replica.pause();
        try {
            LockBackendException failure = null;
            // A reply that a busy machine reads too late says less.
            for (int i = 0; i < TRIES && (failure == null || failure.reason() == Reason.OUTCOME_UNKNOWN); i++) {
                failure = catchThrowableOfType(LockBackendException.class, lock::lock);
                assertThat(failure).isNotNull();
            }
            assertThat(failure)
                    .hasMessageContaining("0 of 1 replicas of redis://127.0.0.1:" + primary.port())
                    .extracting(LockBackendException::reason)
                    .isEqualTo(Reason.UNREACHABLE);
            await().atMost(PATIENCE).until(() -> primary.command("GET", Fixture.key(name)) == null);
        } finally {
            replica.resume();
        }
    }

    /**
     * As after a failover that a subscription has outlived: its server is a replica now, and hears what is sent in the
     * shard.
     */
    @Test
    void aWaiterWhoListensToTheReplicaIsPassedOverAndToldNothing() throws Exception {
        String name = "passed-over";
        String stale = Fixture.key(name) + ":client:stale";
        String waiting = Fixture.key(name) + ":waiting";
        DistributedLock mine = factory(PATIENCE, "0").getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory(PATIENCE, "0").getLock(name, Fixture.lease(MINUTE));
        RedisServer primary = owner(name);
        RedisServer replica = cluster.replicasOf(primary).get(0);
        try (Connection listening = new Connection("127.0.0.1", replica.port())) {
            listening.sendCommand(Protocol.Command.SSUBSCRIBE, stale);
            assertThat((List<?>) listening.getOne()).hasSize(3).last().isEqualTo(1L);
            primary.command("SPUBLISH", stale, "hello");
            assertThat((List<?>) listening.getOne())
                    .as("which reaches replicas")
                    .hasSize(3);
            mine.lock();
            primary.command("ZADD", waiting, "1", "1 token 2000 1 " + stale);
            FutureTask<Lease> waiter = Fixture.passing(theirs);
            await().atMost(PATIENCE).until(() -> Long.valueOf(2).equals(primary.command("ZCARD", waiting)));

            mine.unlock();

            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(primary.command("EXISTS", waiting)).isEqualTo(0L);
            // A message of the script would come before this one, on the same way.
            primary.command("SPUBLISH", stale, "bye");
            assertThat(new String((byte[]) ((List<?>) listening.getOne()).get(2)))
                    .isEqualTo("bye");
        }
    }
}
